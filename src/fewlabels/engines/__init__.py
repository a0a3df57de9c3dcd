"""Where units live: one file an engine, all of which must agree unit by unit with `memory`, the reference."""
