"""One engine for search, tools, prompts and the dashboard."""
