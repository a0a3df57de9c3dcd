"""What people read: pages written from plain data, self-contained, with no network."""
