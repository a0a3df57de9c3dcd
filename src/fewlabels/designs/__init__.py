"""How units get in: choose one. Each gives a Design (plain data) from a profile and the influence of its units."""
