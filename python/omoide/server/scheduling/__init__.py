"""When does a call have its turn, and which thread answers it?

    workers       threads that take calls in turn
    line          whose turn is next, so that nobody waits because of what another asks
    pace          how long calls of each tool take: which are quick
    here          the thread that brought a quick one answers it itself, several at once

Useful for: the desk and the transports. Not useful for: several processes (processes). Nothing here knows what a call says.
"""
