"""Where labels are stored: an append-only record, one module per kind of database."""
