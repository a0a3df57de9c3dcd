"""The servers that scripts/services starts, one module each."""
