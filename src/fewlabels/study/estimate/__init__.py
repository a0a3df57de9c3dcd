"""From answers to numbers: one module for each way of reading a study's labels."""
