"""From what labels say to what is believed: choose one. `rare` (REC) is the default; `asymptotic` (Wald) is a named baseline."""
