"""Made-up tables and studies, for examples, tests and the tutorial."""
