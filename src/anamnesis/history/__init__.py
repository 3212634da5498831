"""The history of notes and the two ways back.

`log` and `lineage` read what git recorded: the changes of all notes, and one note through its
renames. `restore` makes a recorded version the current one, `removed` lists deleted notes, `commit`
records a version without the network. `undo` takes back what a command or a page just did, whether
git is there or not, from the `units` that it keeps on disk.
"""
