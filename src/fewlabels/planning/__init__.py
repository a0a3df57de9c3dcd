"""From a profile and goals to a plan: which design, which takes, how many labels."""
