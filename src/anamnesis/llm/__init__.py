"""Language models: how they are configured, reached, and kept from seeing secrets."""
