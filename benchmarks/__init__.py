"""Studies of fewlabels against known truth, beside the product; nothing here is installed."""
