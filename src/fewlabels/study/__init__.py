"""Where mathematics, engine and ledger meet, and nowhere else."""
