"""The version of fewlabels. pyproject.toml names the same; a test holds the two together."""

VERSION = "0.1.0"
