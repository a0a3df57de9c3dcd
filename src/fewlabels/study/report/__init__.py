"""A study as a report: report.json is built here and nowhere else; reports/ shows it."""
