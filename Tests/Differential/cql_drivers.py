"""Two drivers of Cassandra behind the same functions."""

import asyncio
import pathlib


class PythonDriver:
    """PyPI's cassandra-driver."""

    def __init__(self, port, user=None, password=None, authority=None):
        import logging
        import ssl

        from cassandra.auth import PlainTextAuthProvider
        from cassandra.cluster import Cluster
        from cassandra.policies import DCAwareRoundRobinPolicy, TokenAwarePolicy

        logging.disable(logging.CRITICAL)
        self.cluster = Cluster(
            ["127.0.0.1"],
            port=port,
            auth_provider=PlainTextAuthProvider(user, password) if user else None,
            ssl_context=authority and ssl.create_default_context(cafile=authority),
            ssl_options=authority and {"server_hostname": "localhost"},
            load_balancing_policy=TokenAwarePolicy(DCAwareRoundRobinPolicy("dc1")),
        )
        self.session = self.cluster.connect()

    def close(self):
        self.cluster.shutdown()

    def prepare(self, text):
        return self.session.prepare(text)

    def pages(self, statement, values):
        """The rows of a statement, 100 of them on a page."""
        bound = statement.bind(values)
        bound.fetch_size = 100
        result = self.session.execute(bound)
        yield [tuple(row) for row in result.current_rows or []]
        while result.has_more_pages:
            result.fetch_next_page()
            yield [tuple(row) for row in result.current_rows]

    def batch(self, statements):
        from cassandra.query import BatchStatement, BatchType

        batch = BatchStatement(BatchType.UNLOGGED)
        for statement, values in statements:
            batch.add(statement, values)
        self.session.execute(batch)


class CppDriver:
    """PyPI's acsylla: the C++ driver."""

    def __init__(self, port, user=None, password=None, authority=None):
        import acsylla

        async def connect():
            return await acsylla.create_cluster(
                ["127.0.0.1"],
                port=port,
                username=user,
                password=password,
                log_level="critical",
                load_balance_dc_aware="dc1",
                timestamp_gen="monotonic",
                ssl_enabled=authority is not None,
                ssl_trusted_cert=authority and pathlib.Path(authority).read_text(encoding="ascii"),
            ).create_session()

        self.acsylla, self.loop = acsylla, asyncio.new_event_loop()
        self.session = self.wait(connect())

    def wait(self, future):
        return self.loop.run_until_complete(future)

    def close(self):
        self.wait(self.session.close())
        self.loop.close()

    def prepare(self, text):
        return self.wait(self.session.create_prepared(text))

    def pages(self, statement, values):
        """The rows of a statement, 100 of them on a page."""
        state = {}
        while True:
            bound = statement.bind(list(values), page_size=100, **state)
            bound.set_is_idempotent(True)
            result = self.wait(self.session.execute(bound))
            yield [tuple(row.as_list()) for row in result.all()]
            if not result.has_more_pages():
                return
            state = {"page_state": result.page_state()}

    def batch(self, statements):
        batch = self.acsylla.create_batch_unlogged()
        for statement, values in statements:
            batch.add_statement(statement.bind(list(values)))
        self.wait(self.session.execute_batch(batch))
