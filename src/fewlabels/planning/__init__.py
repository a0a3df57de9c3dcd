"""Planning: from a profile and goals to a design, takes and a number of labels."""
