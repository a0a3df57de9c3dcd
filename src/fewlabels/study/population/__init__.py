"""Read a population, profile it, examine it, and check its scores against answers."""
