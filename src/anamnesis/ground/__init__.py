"""What everything stands on: files, clocks, locks, processes; nothing here knows a note."""
