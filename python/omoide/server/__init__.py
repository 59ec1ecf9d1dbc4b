"""The protocol side: tools served over MCP, on stdin and stdout or over HTTP.

    protocol    tools as MCP tools, one call from arguments to answer
    sessions    which session a caller belongs to
    stdio, http the two transports
    greeting    what an operator is told at the start

Useful for: `omoide serve`. Not useful for: anything else; it imports the SDK, which takes most of a second.
"""
