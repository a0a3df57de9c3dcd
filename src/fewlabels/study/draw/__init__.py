"""Units drawn by a plan, and the batches handed out of them."""
