"""PyPI's optimizely-sdk, unmodified, as a client of `turnout serve`: datafile, decisions, events, edits."""

import logging
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from optimizely import logger, optimizely
from optimizely.config_manager import AuthDatafilePollingConfigManager, PollingConfigManager
from optimizely.event.event_processor import BatchEventProcessor
from optimizely.event_dispatcher import EventDispatcher
from optimizely.helpers.enums import NotificationTypes
from optimizely.notification_center import NotificationCenter

from .server import KEY, Server, differences

PROTECTED, TOKEN = "ProtectedSdkKey", "token-1"
FLAGS = ["checkout_redesign", "search_ranking", "recommendations", "loyalty_banner", "free_shipping", "missing"]
SILENT = logger.NoOpLogger()


class Dispatcher:
    """The standard dispatcher, with another address. Keeps the uuids of what it sent."""

    def __init__(self, address):
        self.address, self.sent = address, []

    def dispatch_event(self, event):
        event.url = f"{self.address}/v1/events"
        EventDispatcher.dispatch_event(event)
        for visitor in event.params["visitors"]:
            for snapshot in visitor["snapshots"]:
                self.sent += [item["uuid"].lower() for item in snapshot["events"]]


def wait(what, is_true, seconds=20):
    deadline = time.monotonic() + seconds
    while not is_true():
        if time.monotonic() > deadline:
            sys.exit(f"check-python-client: waited in vain for {what}")
        time.sleep(0.02)


def check(name, found, expected):
    """Reports a difference."""
    if found != expected:
        print(f"{name}: found {found!r}, expected {expected!r}")
    return found == expected


def described(client, number):
    """The decisions for a user."""
    attributes = {"country": ["US", "DE"][number % 2], "orders": number % 20, "plan": ["gold", "free"][number % 3 == 0]}
    user = client.create_user_context(f"user {number}", attributes)
    options = ["DISABLE_DECISION_EVENT", "INCLUDE_REASONS"]
    return [(key, user.decide(key, options).as_json()) for key in FLAGS]


def follow(server):
    """Checks a client that polls: decisions, unchanged datafiles, a change."""
    dispatcher, center, updates = Dispatcher(server.address), NotificationCenter(SILENT), []
    manager = PollingConfigManager(
        sdk_key=KEY, url_template=server.address + "/datafiles/{sdk_key}.json", update_interval=0.2, logger=SILENT,
        notification_center=center)
    processor = BatchEventProcessor(
        dispatcher, batch_size=5, flush_interval=1, start_on_init=True, logger=SILENT, notification_center=center)
    client = optimizely.Optimizely(
        config_manager=manager, event_processor=processor, logger=SILENT, notification_center=center)
    center.add_notification_listener(
        NotificationTypes.OPTIMIZELY_CONFIG_UPDATE, lambda *_: updates.append(1))
    wait("the datafile", lambda: client.config_manager.get_config())
    local = optimizely.Optimizely((server.datafiles / f"{KEY}.json").read_text(), logger=SILENT)
    for number in range(100):
        yield check(f"user {number}", described(client, number), described(local, number))
    wait("unchanged datafiles", lambda: server.metric(
        'turnout_http_requests_total{method="GET",route="/datafiles/{sdkKey}.json",status="304"}') > 2)
    for number in range(25):
        user = client.create_user_context(f"user {number}", {"country": "US", "orders": 12})
        user.decide("checkout_redesign")
        user.track_event("purchase", {"revenue": number})
    server.publish(43)
    wait("revision 43", lambda: client.config_manager.get_config().get_revision() == "43")
    yield check("notified of the change", bool(updates), True)
    client.event_processor.stop()
    manager.stop()
    yield check("events sent", len(dispatcher.sent), 50)
    server.wait_until_processed()
    exported = server.exported()
    yield check("lost and repeated events", differences(dispatcher.sent, exported), ([], []))
    yield check("exported events", len(exported), 50)


def protected(server):
    """Checks a datafile that needs a token."""
    address = server.address + "/datafiles/auth/{sdk_key}.json"
    for token, revision in [(TOKEN, "42"), ("wrong", None)]:
        manager = AuthDatafilePollingConfigManager(
            token, sdk_key=PROTECTED, url_template=address, update_interval=60, blocking_timeout=2, logger=SILENT)
        config = manager.get_config()
        yield check(f"with {token}", config and config.get_revision(), revision)
        manager.stop()


WAYS = ["with a lock", "without a lock", "compiled in between", "restarted in between", "two servers", "public address"]


def edited(program, folder, way):
    """Checks that clients see each of five edits of a project file that is served."""
    folder = Path(folder) / way
    servers = [Server(program, folder)] + [Server(program, folder / "second")] * (way == "two servers")
    project = folder / "flags.yaml"
    options = ["--set", "public_address=http://127.0.0.1:9"] * (way == "public address")
    segments = "segments: {public_key: shop}\n" if options else ""

    def edit(number):
        project.write_text(
            f"project: shop\nenvironments: {{production: {{sdk_key: {KEY}}}}}\n{segments}"
            f"flags: {{a: {{variables: {{n: 0}}, variations: {{on: {{variables: {{n: {number}}}}}}}, else: on}}}}\n")

    def compile_project():
        subprocess.run([program, "compile", project], check=True, stdout=subprocess.DEVNULL)

    edit(0)
    if way != "without a lock":
        compile_project()
    managers = []
    for server in servers:
        server.flags = project
        server.start(*options)
        managers.append(PollingConfigManager(
            sdk_key=KEY, url_template=server.address + "/datafiles/{sdk_key}.json", update_interval=0.2, logger=SILENT))
    clients = [optimizely.Optimizely(config_manager=manager, logger=SILENT) for manager in managers]
    for number in range(1, 6):
        if way == "compiled in between" and number == 3:
            compile_project()
        if way == "restarted in between" and number == 3:
            servers[0].stop()
            edit(number)
            servers[0].start(*options, port=servers[0].port)
        edit(number)
        for client in clients:
            wait(f"edit {number}, {way}", lambda: client.create_user_context("ada").decide(
                "a", ["DISABLE_DECISION_EVENT"]).variables.get("n") == number)
            yield True
    for manager in managers:
        manager.stop()
    for server in servers:
        yield check("exit status", server.stop(), 0)


def main():
    logging.disable(logging.CRITICAL)
    with tempfile.TemporaryDirectory() as folder:
        server = Server(sys.argv[1], folder)
        server.publish(42)
        server.publish(42, PROTECTED)
        server.start("--set", f"datafile_tokens={PROTECTED}:{TOKEN}")
        results = [*follow(server), *protected(server)]
        results.append(check("exit status", server.stop(), 0))
        for way in WAYS:
            results += edited(sys.argv[1], folder, way)
    print(f"{sum(results)} of {len(results)} checks of optimizely-sdk as a live client passed")
    return 0 if all(results) else 1


sys.exit(main())
