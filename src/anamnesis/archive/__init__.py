"""Sessions word for word: what was said and run, kept on this machine and searchable."""
