"""Units out to people, answers in from them."""
