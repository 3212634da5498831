"""The verbs that every surface shares."""
