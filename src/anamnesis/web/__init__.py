"""The dashboard: the same store and the same operations, in a browser."""
