"""Notes between machines: sync, conflicts, remote, fleet, purge."""
