"""Units handed out to people, and answers read back."""
