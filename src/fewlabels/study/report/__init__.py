"""A study as a report: report.json is built only here; reports/ renders it."""
