"""Estimators: from labels to totals and metrics."""
