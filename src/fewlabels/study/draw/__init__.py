"""The units drawn by a plan, and the batches in which they are handed out."""
