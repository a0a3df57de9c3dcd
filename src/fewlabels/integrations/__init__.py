"""Results in the form other tools expect: tables, scikit-learn, Matplotlib and MLflow. Each package is imported where it is used.

Main path: population > profile > plan > draw > labels > [estimate] > [decision] > [report]
"""
