"""Label Studio: its tasks, its labeling interface, and its HTTP interface."""
