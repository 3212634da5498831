"""The tools that agents call in the middle of a session: one table, two fronts.

`tools`, `resources` and `teaching` say what there is. `stdio` serves it with the standard library
alone, because a client drops a server that is not ready at once; `fast` serves it with FastMCP,
in memory and over HTTP. Both give the same answers.
"""
