"""What is said between a client and this server, in either era of the protocol.

    wire          JSON-RPC as bytes: the requests that are answered without the SDK, and their answers
    identity      who the server is and what it offers
    server        tools as an MCP server of the SDK, for everything else
    questions     how a person is asked before a tool does something
    misfits       what is answered to what is no message
    unfit         what is answered to parameters that do not fit the protocol

Useful for: both transports. Not useful for: what a tool does (calls).
"""
