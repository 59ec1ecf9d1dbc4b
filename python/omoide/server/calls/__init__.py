"""What every call of a tool passes, whichever lane it came by.

    toolcall      a call, as a lane hands it over
    dispatcher    takes every call: rights, workspace, thread, metrics, log; refusals: the errors of calls that it ends itself
    workspaces    what a tenant's calls run against; tenants: many of them, opened on demand
    sessions      which session a caller belongs to
    call          from arguments to a result; members: nulls and unknown arguments; translations: errors in Japanese and Chinese
    provenance    who stored what is shown, when and by which tool: in the _meta of every answer

Useful for: both transports and `omoide call`. Not useful for: the bytes of a message (protocol).
"""
