"""From what labels say to what is believed: choose one. `rare` (REC) is the default, `binomial` reads counts, others are baselines."""
