"""One tool per file: its schema, and the steps of a call."""
