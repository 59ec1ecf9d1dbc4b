"""Other people's benchmarks, read as they are published: one file a format, each with one command."""
