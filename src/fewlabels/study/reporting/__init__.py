"""A study as a report: report.json is built here and nowhere else; reports/ shows it.

Main path: population > profile > plan > draw > labels > estimate > decision > [report]
"""
