"""The main job on one screen, with the real commands, on throw-away machines."""
