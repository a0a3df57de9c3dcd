"""From numbers to a verdict: looks, the gate, and the gate's error rates by simulation."""
