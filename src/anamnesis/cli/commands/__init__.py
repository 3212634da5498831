"""One module per command; none imports another.

A command's `run` may raise any AnamnesisError; `main` prints it and exits with its code.
"""
