"""Who wrote a note, what its text tries to do to its reader, and what follows from both."""
