"""Benchmarks: each answer is checked before it is timed. `python -m bench` lists them."""
