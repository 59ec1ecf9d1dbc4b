"""Published benchmarks in their own formats: one file a format, each with one command."""
