"""Studies: the only place where mathematics, engines and ledgers meet."""
