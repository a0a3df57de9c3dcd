"""The design system: one file of colors, type, spacing and shared parts, for every page and fragment people see."""

DESIGN = "design.css"
"""The file in this folder; the service serves the same one."""
