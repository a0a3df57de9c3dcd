"""Packages people would install instead of fewlabels, run as their own pages say on prediction tables with known truth.

Each package has an environment of its own. What runs there needs NumPy and the package alone (`methods`, `run`); everything else runs
where fewlabels is installed.
"""
