"""The foundation: files, clocks, locks, processes; nothing here knows about notes."""
