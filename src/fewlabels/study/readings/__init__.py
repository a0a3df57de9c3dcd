"""From answers to numbers: one file for each way a study's labels are read; every reading is a look."""
