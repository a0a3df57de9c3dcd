"""Studies of assay against known truth, beside the product; nothing here is installed."""
