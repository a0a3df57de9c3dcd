"""The labelers' side of a study: whose turn it is, what they are shown, and answers that come in from elsewhere."""
