"""One reader per agent. Each knows its own lines and records the same turns."""
