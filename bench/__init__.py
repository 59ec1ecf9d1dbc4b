"""Benchmarks: the answer is checked first, then timed. `python -m bench` lists them."""
