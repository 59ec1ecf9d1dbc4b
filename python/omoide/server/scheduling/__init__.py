"""When does a call run, and in which thread?

    workers           the threads that run calls
    fair_queue        whose call is next, so that nobody waits because of how much another asks
    recent_durations  how long the latest calls of each tool took: which tools are quick
    inline            quick calls that the thread which received them answers itself, several in turn

Useful for: the dispatcher and the transports. Not useful for: several processes (processes). Nothing here knows what a call says.
"""
