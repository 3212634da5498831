"""This machine: its settings, its model, what it derives from the notes."""
