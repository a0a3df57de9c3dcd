"""The sampling designs. Each makes a DrawDesign (plain data) from a profile and the influence of its units."""
