"""What every call of a tool passes, whichever way it came.

    toolcall      a call, as a lane brings it
    desk          where it is taken in: rights, the place, a thread, measures, one line of the log
    places        what a tenant's calls run against; tenants: many of them, opened on demand
    sessions      which session a caller belongs to
    call          from arguments to a result: members of what is given, what is wrong translated
    provenance    where what is shown comes from, in every answer's _meta

Useful for: both transports and `omoide call`. Not useful for: the bytes of a message (protocol).
"""
