"""What an operator can see of a server at work.

    meter         what is measured of the calls
    metrics       what Prometheus is told
    logs          how the log is written

Useful for: the desk and /metrics. Not useful for: what is in the store (`omoide stats`). The text of memories is in none of it.
"""
