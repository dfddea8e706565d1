"""Two drivers of Cassandra behind the same functions, and the server that they are for."""

import asyncio
import pathlib

from support import BUILD, Conversation, expect


class Server(Conversation):
    """A ring of three nodes."""

    def __init__(self, log, *options):
        super().__init__(log, BUILD / "cql-server", *options)
        self.port = int(self.hear())

    def __call__(self, line):
        """The answer to a line."""
        answer = self.ask(line)
        expect(not answer.startswith("error: "), f"{line}: {answer}")
        return answer

    def counts(self, node):
        """The requests that a node has got, by kind."""
        words = self(f"counts {node}").split()
        return {name: int(value) for name, value in zip(words[::2], words[1::2])}


class PythonDriver:
    """PyPI's cassandra-driver."""

    # Asks the next node.
    overloaded = None

    def __init__(self, port, keyspace=None, user=None, password=None, timeout=10, authority=None):
        import logging
        import ssl

        from cassandra.auth import PlainTextAuthProvider
        from cassandra.cluster import EXEC_PROFILE_DEFAULT, Cluster, ExecutionProfile
        from cassandra.policies import ConstantReconnectionPolicy, DCAwareRoundRobinPolicy, TokenAwarePolicy

        logging.disable(logging.CRITICAL)
        policy = TokenAwarePolicy(DCAwareRoundRobinPolicy("dc1"))
        encryption = authority and ssl.create_default_context(cafile=authority)
        profile = ExecutionProfile(load_balancing_policy=policy, request_timeout=timeout, consistency_level=6)
        self.cluster = Cluster(
            ["127.0.0.1"],
            port=port,
            auth_provider=PlainTextAuthProvider(user, password) if user else None,
            ssl_context=encryption,
            ssl_options=encryption and {"server_hostname": "localhost"},
            execution_profiles={EXEC_PROFILE_DEFAULT: profile},
            reconnection_policy=ConstantReconnectionPolicy(0.2, None),
        )
        self.session = self.cluster.connect(keyspace)

    def close(self):
        self.cluster.shutdown()

    def versions(self):
        """The protocol's version and the server's, as far as the driver tells."""
        return self.cluster.protocol_version, self.cluster.metadata.all_hosts()[0].release_version

    def keys(self, keyspace, table):
        """The columns of a table's partition key and its clustering columns."""
        found = self.cluster.metadata.keyspaces[keyspace].tables.get(table)
        return found and ([c.name for c in found.partition_key], [c.name for c in found.clustering_key])

    def prepare(self, text):
        return self.session.prepare(text)

    def run(self, statement, values=(), page_size=None, timestamp=None, consistency=None):
        """The pages of a statement: lists of tuples."""
        from cassandra import ConsistencyLevel
        from cassandra.query import SimpleStatement

        bound = statement.bind(values) if not isinstance(statement, str) else SimpleStatement(statement)
        bound.fetch_size = page_size or 5000
        bound.consistency_level = consistency and ConsistencyLevel.name_to_value[consistency]
        result = self.session.execute_async(bound, *([values] if isinstance(statement, str) and values else []))
        if timestamp is not None:
            result.message.timestamp = timestamp
        result = result.result()
        yield [tuple(row) for row in result.current_rows or []]
        while result.has_more_pages:
            result.fetch_next_page()
            yield [tuple(row) for row in result.current_rows]

    def batch(self, statements, is_logged=False, timestamp=None):
        """Runs prepared statements with their values in a batch."""
        from cassandra.query import BatchStatement, BatchType

        batch = BatchStatement(BatchType.LOGGED if is_logged else BatchType.UNLOGGED)
        for statement, values in statements:
            batch.add(statement, values)
        future = self.session.execute_async(batch)
        future.result()

    @staticmethod
    def kind(error):
        """The kind of an error."""
        import cassandra
        from cassandra.cluster import NoHostAvailable
        from cassandra.protocol import SyntaxException

        if isinstance(error, NoHostAvailable):
            kinds = {PythonDriver.kind(cause) for cause in error.errors.values()}
            return kinds.pop() if len(kinds) == 1 else "no host"
        kinds = {
            cassandra.OperationTimedOut: "timed out",
            cassandra.Unavailable: "unavailable",
            cassandra.WriteTimeout: "write timeout",
            cassandra.ReadTimeout: "read timeout",
            cassandra.WriteFailure: "write failure",
            cassandra.ReadFailure: "read failure",
            cassandra.Unauthorized: "unauthorized",
            cassandra.AuthenticationFailed: "bad credentials",
            cassandra.InvalidRequest: "invalid",
            SyntaxException: "syntax",
        }
        return next((kind for cls, kind in kinds.items() if isinstance(error, cls)), type(error).__name__)


class CppDriver:
    """PyPI's acsylla: the C++ driver."""

    # Asks the next node only if a statement is idempotent, which the driver does not know.
    overloaded = "overloaded"

    def __init__(self, port, keyspace=None, user=None, password=None, timeout=10, authority=None):
        import acsylla

        self.acsylla = acsylla
        self.loop = asyncio.new_event_loop()
        self.session = self.wait(self._connect(port, keyspace, user, password, timeout, authority))

    async def _connect(self, port, keyspace, user, password, timeout, authority):
        cluster = self.acsylla.create_cluster(
            ["127.0.0.1"],
            port=port,
            username=user,
            password=password,
            request_timeout=timeout,
            log_level="critical",
            consistency=self.acsylla.Consistency.LOCAL_QUORUM,
            load_balance_dc_aware="dc1",
            constant_reconnect_delay_ms=200,
            timestamp_gen="monotonic",
            ssl_enabled=authority is not None,
            ssl_trusted_cert=authority and pathlib.Path(authority).read_text(encoding="ascii"),
        )
        return await cluster.create_session(keyspace=keyspace)

    def wait(self, future):
        return self.loop.run_until_complete(future)

    def close(self):
        self.wait(self.session.close())
        self.loop.close()

    def versions(self):
        return 4, ".".join(str(part) for part in self.session.get_metadata().get_version())

    def keys(self, keyspace, table):
        metadata = self.session.get_metadata()
        if table not in metadata.get_tables(keyspace):
            return None
        columns = metadata.get_table_meta(keyspace, table).columns
        kinds = ("partition", "clustering")
        return tuple([column.name for column in columns if kind in str(column.kind).lower()] for kind in kinds)

    def prepare(self, text):
        return self.wait(self.session.create_prepared(text))

    def run(self, statement, values=(), page_size=None, timestamp=None, consistency=None):
        options = {"page_size": page_size} if page_size else {}
        if consistency:
            options["consistency"] = self.acsylla.Consistency[consistency]
        state = None
        while True:
            if state is not None:
                options["page_state"] = state
            if isinstance(statement, str):
                bound = self.acsylla.create_statement(statement, parameters=len(values), **options)
                if values:
                    bound.bind_list(list(values))
            else:
                bound = statement.bind(list(values), **options)
            if timestamp is not None:
                bound.set_timestamp(timestamp)
            result = self.wait(self.session.execute(bound))
            yield [tuple(row.as_list()) for row in result.all()]
            if not result.has_more_pages():
                return
            state = result.page_state()

    def batch(self, statements, is_logged=False, timestamp=None):
        batch = self.acsylla.create_batch_logged() if is_logged else self.acsylla.create_batch_unlogged()
        for statement, values in statements:
            batch.add_statement(statement.bind(list(values)))
        if timestamp is not None:
            batch.set_timestamp(timestamp)
        self.wait(self.session.execute_batch(batch))

    @staticmethod
    def kind(error):
        kinds = {
            "CassErrorLibRequestTimedOut": "timed out",
            "CassErrorLibNoHostsAvailable": "no host",
            "CassErrorServerOverloaded": "overloaded",
            "CassErrorServerUnavailable": "unavailable",
            "CassErrorServerWriteTimeout": "write timeout",
            "CassErrorServerReadTimeout": "read timeout",
            "CassErrorServerWriteFailure": "write failure",
            "CassErrorServerReadFailure": "read failure",
            "CassErrorServerUnauthorized": "unauthorized",
            "CassErrorServerBadCredentials": "bad credentials",
            "CassErrorServerInvalidQuery": "invalid",
            "CassErrorServerSyntaxError": "syntax",
        }
        return next((kinds[cls.__name__] for cls in type(error).__mro__ if cls.__name__ in kinds), repr(error))
