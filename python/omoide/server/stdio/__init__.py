"""One client on stdin and stdout.

    serving       the conversation, from the handshake to the end
    lines         the lines of stdin, read as they arrive
    fastlane      ordinary requests, without the SDK; bridge: the SDK, for all others
    inline        quick calls, answered by the reading thread between two lines
    pending       which requests have no answer yet

Useful for: `omoide serve`. Not useful for: several clients (http).
"""
