"""Write, edit, delete, move, search, list and show: one function for each verb."""
