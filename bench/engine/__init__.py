"""The native engine compared with the libraries it replaces: data, measuring, the workloads, the report.

`works.py` lists the workloads; each builds all systems from the same data, checks the answers, then times the systems in turn.
"""
