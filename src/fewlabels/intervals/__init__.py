"""The intervals. `placed` is the default, `rare` trusts the scores or is strict, `binomial` works on counts, the others are baselines."""
