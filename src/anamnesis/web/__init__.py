"""The dashboard: the same store and operations, in a browser."""
