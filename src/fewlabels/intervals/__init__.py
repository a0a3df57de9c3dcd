"""The intervals. `rare` (REC) is the default, `binomial` works on counts, the others are baselines."""
