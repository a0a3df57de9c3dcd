"""What flows along the main path, as frozen data. If it exists, it is valid."""
