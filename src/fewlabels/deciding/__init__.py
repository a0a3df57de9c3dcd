"""From estimates to a verdict: when one may look, and what the estimates settle."""
