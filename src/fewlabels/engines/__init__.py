"""Where units are stored: one module per engine, all of which must agree unit by unit with `memory`, the reference."""
