"""One module a package: the ways to use it that are compared."""
