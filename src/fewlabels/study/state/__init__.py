"""The state of a study: the ledger folded into the data that every other subpackage reads."""
