"""Every numbered table and figure of the documents that fewlabels was created from, made again on tables with known truth."""
