"""From goals to a plan: sizes, the next plan, growth, pilots, planned looks and extensions."""
