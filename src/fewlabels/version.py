"""The version of fewlabels. pyproject.toml has the same; a test compares the two."""

VERSION = "0.1.0"
