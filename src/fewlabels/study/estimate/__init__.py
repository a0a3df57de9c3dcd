"""From answers to numbers: one file for each way of reading a study's labels."""
