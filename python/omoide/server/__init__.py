"""The protocol side: tools served over MCP, on stdin and stdout or over HTTP.

    http, stdio   the two transports, each with a fast lane for ordinary calls and one through the SDK
    access        who may come in, and how much each may ask
    protocol      the messages: JSON-RPC and MCP as bytes, and through the SDK
    calls         what every call passes, from its arguments to its answer
    scheduling    when a call runs, and in which thread
    processes     several processes that serve one address
    monitoring    metrics and the log

    greeting      what an operator is told at the start
    file_limits   how many connections and stores may be open
    shared_table  a table in memory that several processes share
    garbage_collection   how often the garbage collector runs
    conformance_tools    the tools that the conformance suite calls

Useful for: `omoide serve`. Not useful for: anything else. The SDK takes most of a second to import, so what answers the
handshake over stdio (stdio/serving, stdio/fastlane, protocol/wire, protocol/identity) imports none of it.
"""
