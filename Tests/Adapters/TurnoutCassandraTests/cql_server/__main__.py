"""A cluster of Cassandra for tests: it runs the statements of the store and the queries of drivers, and no others.

    python3 cql_server '{"data_centers": ["dc1", "dc1", "dc1"], "replicas": 3}'

The nodes are on 127.0.0.1, 127.0.0.2 and so on, with the same free port, which is printed. Each line of the input names
a function of `Cluster` and its arguments, in JSON, and gets its result. The server ends with its input.
"""

import asyncio
import json
import sys

from cluster import Cluster


async def main():
    cluster = Cluster(**json.loads(sys.argv[1]))
    for node in cluster.nodes:
        node.bind()
    await cluster.bring_up()
    print(cluster.port, flush=True)
    lines = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(lines), sys.stdin)
    async for line in lines:
        name, *arguments = json.loads(line)
        result = getattr(cluster, name)(*arguments)
        print(json.dumps(await result if asyncio.iscoroutine(result) else result), flush=True)


asyncio.run(main())
