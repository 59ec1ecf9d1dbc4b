"""The native engine beside the libraries it replaces: data, measuring, the works, the report.

`works.py` names every work; a work builds each system from the same data, checks the answers, then times them in turn.
"""
