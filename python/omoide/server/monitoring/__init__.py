"""What an operator can see of a server at work.

    meter         what is measured of calls
    metrics       the page for Prometheus
    logs          the format of the log

Useful for: the dispatcher and /metrics. Not useful for: what is in the store (`omoide stats`). None of it contains text of
memories.
"""
