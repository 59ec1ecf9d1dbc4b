"""When does a call run, and in which thread?

    workers       the threads that run calls
    line          whose call is next, so that nobody waits because of how much another asks
    pace          how long the calls of each tool take: which are quick
    here          quick calls that the thread which received them answers itself, several in turn

Useful for: the desk and the transports. Not useful for: several processes (processes). Nothing here knows what a call says.
"""
