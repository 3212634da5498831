"""What the hooks do: capture, sweep, inject, prompt."""
