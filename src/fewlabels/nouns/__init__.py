"""The data types of the main path, frozen. An instance that exists is valid."""
