"""The tables from which drivers learn of the nodes and the keyspace. All others are empty."""

import re
import socket

from messages import BOOLEAN, INET, TEXT, TEXT_MAP, TEXT_SET, UUID, Error, integer, rows, texts

TYPES = {
    **dict.fromkeys(("broadcast_address", "listen_address", "peer", "rpc_address"), INET),
    **dict.fromkeys(("host_id", "schema_version"), UUID),
    "durable_writes": BOOLEAN,
    "replication": TEXT_MAP,
    "tokens": TEXT_SET,
}
TOKENS = 16


def described(node):
    """The row of a node."""
    address, count = socket.inet_aton(node.address), len(node.cluster.nodes)
    step = 2**64 // (TOKENS * count)
    tokens = (str((place * count + node.number) * step - 2**63) for place in range(TOKENS))
    return {
        **dict.fromkeys(("broadcast_address", "listen_address", "peer", "rpc_address"), address),
        "key": b"local",
        "cluster_name": b"Turnout tests",
        "cql_version": b"3.4.4",
        "data_center": node.data_center.encode(),
        "host_id": bytes(15) + bytes([node.number + 1]),
        "partitioner": b"org.apache.cassandra.dht.Murmur3Partitioner",
        "rack": b"rack1",
        # A version without virtual tables and without `system.peers_v2`.
        "release_version": b"3.11.17",
        "schema_version": bytes(15) + b"\1",
        "tokens": integer(TOKENS) + texts(*tokens),
    }


def answered(text, node):
    """The result of a query of the driver's own."""
    match = re.match(r"SELECT (.+) FROM (system\w*)\.(\w+)(?: WHERE peer *= *'([0-9.]+)')?", text)
    if match is None:
        raise Error(0x2000, f"this server does not know the statement: {text}")
    names, keyspace, table, peer = match.groups()
    found = []
    if table == "local":
        found = [described(node)]
    elif table == "peers":
        others = [other for other in node.cluster.nodes if other is not node]
        found = [described(other) for other in others if peer in (None, other.address)]
    elif table == "keyspaces":
        found = [{"keyspace_name": b"shop", "durable_writes": b"\1", "replication": node.cluster.replication}]
    elif keyspace != "system_schema":
        raise Error(0x2200, f"unconfigured table {table}")
    # Drivers expect a column in a result without rows, too.
    every = list(found[0]) if found else ["keyspace_name"]
    names = every if names == "*" else [name.strip() for name in names.split(",")]
    columns = [(name, TYPES.get(name, TEXT)) for name in names]
    return rows((keyspace, table), columns, [[row.get(name) for name in names] for row in found])
