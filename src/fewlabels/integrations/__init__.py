"""Results in the form other tools expect: tables, scikit-learn, Matplotlib and MLflow. Each package is imported where it is used."""
