"""What the hooks leave behind in `<home>/log/`: runs, failures, receipts.

A hook may neither fail nor print messages, so its log is the only way to see what it did.
All of it is bounded, and nothing raises: a log that cannot be written must not stop a session.
"""
