"""From labels to totals and metrics."""
