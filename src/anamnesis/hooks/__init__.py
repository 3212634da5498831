"""What the hooks leave behind in `<home>/log/`: runs, failures, receipts.

A hook may neither fail nor speak, so this is how anybody learns what it did. Everything here is
bounded, and nothing here raises: a log that cannot be written must not stop a session.
"""
