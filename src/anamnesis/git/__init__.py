"""Git as a command, and its configuration files."""
