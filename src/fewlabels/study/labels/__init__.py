"""Answers recorded in the ledger."""
