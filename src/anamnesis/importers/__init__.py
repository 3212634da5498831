"""What other memories hold, as drafts of notes. Reading only; nothing here knows the store."""
