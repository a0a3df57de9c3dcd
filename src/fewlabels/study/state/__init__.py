"""Where a study stands: the ledger folded into the state that every other room reads."""
