"""One tool a file: its schema, and in which order it does what."""
