"""Made-up tables and studies, for examples, tests and a first walk."""
