"""From estimates to a verdict: when may one look, and what do the numbers settle."""
