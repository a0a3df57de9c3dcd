"""From goals to a plan: sizes, the plan that is fixed, pilots, growth, and what came later."""
