"""What was: the log, one note through its renames, and the ways back."""
