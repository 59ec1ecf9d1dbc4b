"""The messages between a client and this server, in both eras of the protocol (with sessions, and stateless).

    wire          JSON-RPC as bytes: the requests that are answered without the SDK, and their answers
    identity      who the server is and what it offers
    server        our tools as an MCP server of the SDK, for everything else
    elicitation   asking a person for confirmation before a tool runs
    malformed     answers to what is no message of the protocol
    invalid_params   answers to parameters that do not fit the protocol

Useful for: both transports. Not useful for: what a tool does (calls).
"""
