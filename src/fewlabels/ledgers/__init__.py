"""Where labels live: an append-only record, one file a kind of database."""
