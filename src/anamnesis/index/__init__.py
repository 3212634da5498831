"""Layer 2: the SQLite index, derived from the notes and disposable."""
