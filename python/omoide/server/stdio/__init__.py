"""One client on stdin and stdout.

    serving       the conversation, from the handshake to the end
    lines         are read as they come
    talk          ordinary requests, without the SDK; bridge: the SDK, for all others
    between       quick calls are gone on with between two lines
    waiting       which requests have no answer yet

Useful for: `omoide serve`. Not useful for: several clients (http).
"""
