"""An engine, an interval and a label format that fewlabels does not have."""
