"""A study held against a policy (`holding`), and the error rates of that by simulation (`self_test`).

Main path: population > profile > plan > draw > labels > estimate > [decision] > report
"""
