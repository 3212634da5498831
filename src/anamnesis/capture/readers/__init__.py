"""One reader per agent. Each knows its own lines and fills the same draft of a session."""
