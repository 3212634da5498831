"""The main job, shown step by step with the real command on throw-away stores."""
