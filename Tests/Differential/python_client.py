"""PyPI's optimizely-sdk, unmodified, as a live client of `turnout serve`.

Datafile, token, decisions, events, edits of a project file that is served; then segments of users and predictions.
"""

import contextlib
import json
import logging
import subprocess
import urllib.error
import urllib.request
from pathlib import Path

import support
from optimizely import logger, optimizely
from optimizely.config_manager import AuthDatafilePollingConfigManager, PollingConfigManager
from optimizely.decision.optimizely_decide_option import OptimizelyDecideOption
from optimizely.event.event_processor import BatchEventProcessor
from optimizely.event_dispatcher import EventDispatcher
from optimizely.helpers.enums import NotificationTypes
from optimizely.helpers.sdk_settings import OptimizelySdkSettings
from optimizely.notification_center import NotificationCenter
from optimizely.odp.optimizely_odp_option import OptimizelyOdpOption
from support import KEY, TURNOUT, Server, check, differences, eventually, free_port, wait

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


def edited(folder, way):
    """Checks that clients, also those of a relay, see each of five edits of a project file that is served."""
    folder = folder / way
    project = folder / "flags.yaml"
    servers = [Server(folder, project)] + [Server(folder / "second", project)] * (way == "two servers")
    options = ["--set", "public_address=http://127.0.0.1:9"] * (way == "public address")
    segments = "segments: {public_key: shop}\n" if options else ""

    def edit(number):
        project.write_text(
            f"project: shop\nenvironments: {{production: {{sdk_key: {KEY}}}}}\n{segments}"
            f"flags: {{a: {{variables: {{n: 0}}, variations: {{on: {{variables: {{n: {number}}}}}}}, else: on}}}}\n")

    def compile_project():
        subprocess.run([TURNOUT, "compile", project], check=True, stdout=subprocess.DEVNULL)

    edit(0)
    if way != "without a lock":
        compile_project()
    managers, relay = [], Server(folder / "relay")
    for server in [*servers, relay]:
        server.start(*(["--upstream", servers[0].address + "/datafiles/{sdkKey}.json"] if server is relay else options))
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
    for server in [*servers, relay]:
        yield check("exit status", server.stop(), 0)


# Segments and predictions

PROJECT = """
project: shop
environments: {production: {sdk_key: shop}}
segments:
  public_key: shop-segments
  define:
    testers: {members: [ada]}
    buyers: {rule: {event: purchase, days: 30, times: 2, revenue: 1000}}
    collectors: {rule: {event: shop/added_to_cart}}
events: [purchase]
audiences:
  own: {any: [{segment: testers}, {segment: buyers}, {segment: collectors}, {segment: vip}]}
flags:
  offer: {variations: {on: {}}, rules: [{delivery: offer_own, serve: on, audience: own}], else: off}
  checkout:
    variations: {one_page: {}, two_step: {}}
    rules: [{bandit: checkout_bandit, split: [one_page, two_step], metrics: [purchase.unique]}]
    else: off
"""
FRESH = [OptimizelyOdpOption.IGNORE_CACHE]
# The users for whom a variation is predicted.
SHOPPERS = [f"shopper {number}" for number in range(20)]


@contextlib.contextmanager
def sdk(address):
    """The vendor's client of a server."""
    manager = PollingConfigManager(sdk_key="shop", url_template=address + "/datafiles/{sdk_key}.json")
    dispatcher = Dispatcher(address)
    processor = BatchEventProcessor(dispatcher, batch_size=1, flush_interval=1, start_on_init=True)
    settings = OptimizelySdkSettings(odp_event_flush_interval=1, cmab_prediction_endpoint=address + "/predict/{}")
    client = optimizely.Optimizely(
        config_manager=manager, event_dispatcher=dispatcher, event_processor=processor, settings=settings
    )
    try:
        yield client
    finally:
        client.close()


def request(method, address, body=None, content_type="text/csv"):
    """The status of a request."""
    data = body.encode() if body is not None else None
    headers = {"Content-Type": content_type} if data else {}
    try:
        with urllib.request.urlopen(urllib.request.Request(address, data, headers, method=method), timeout=10) as reply:
            return reply.status
    except urllib.error.HTTPError as error:
        return error.code


def segments(client, user):
    """The segments of a user, sorted; nil if they could not be fetched."""
    context = client.create_user_context(user)
    fetched = context.fetch_qualified_segments(options=FRESH)
    return sorted(context.get_qualified_segments()) if fetched else None


def first_start(server, client):
    """Lists, rules and events."""
    yield check("project file", segments(client, "ada"), ["testers"])
    yield check("unknown user", segments(client, "nobody"), None)
    yield check("upload", request("PUT", server.address + "/segments/vip/users", "grace\njoan\n"), 200)
    yield check("uploaded", segments(client, "grace"), ["vip"])
    yield check("add one", request("PUT", server.address + "/segments/vip/users/ada"), 200)
    yield check("added", segments(client, "ada"), ["testers", "vip"])
    for _ in range(2):
        client.create_user_context("mary").track_event("purchase", {"revenue": 600})
    yield eventually("conversions", lambda: segments(client, "mary"), ["buyers"])
    client.send_odp_event("added_to_cart", {"fs-user-id": "emmy"}, "shop", {"price": 19.5, "gift": False})
    yield eventually("events of the platform", lambda: segments(client, "emmy"), ["collectors"])
    client.send_odp_event("identified", {"vuid": "vuid_1", "fs_user_id": "grace"})
    yield eventually("device", lambda: segments(client, "vuid_1"), ["vip"])
    user = client.create_user_context("grace")
    user.fetch_qualified_segments()
    yield check("decision", user.decide("offer").enabled, True)
    yield check("no segments", client.create_user_context("nobody").decide("offer").enabled, False)


def arms(server):
    """The variations of the bandit, as the server lists them."""
    rules = [rule for rule in json.loads(server.get("/datafiles/shop.json"))["experiments"] if "cmab" in rule]
    return json.loads(server.get(f"/predict/{rules[0]['id']}"))["variations"]


def predicted(client, user):
    """The rule and the variation of a user, for which the client asks the server."""
    options = [OptimizelyDecideOption.IGNORE_CMAB_CACHE]
    decision = client.create_user_context(user).decide("checkout", options)
    return decision.rule_key, decision.variation_key


def predictions(server, client):
    """A bandit, whose variations the server predicts."""
    listed = [arm["variation"] for arm in arms(server)]
    yield check("listed variations", sorted(listed), ["one_page", "two_step"])
    found = [predicted(client, user) for user in SHOPPERS]
    yield check("predicted variations", set(found), {("checkout_bandit", variation) for variation in listed})
    yield check("the same users again", [predicted(client, user) for user in SHOPPERS], found)
    yield check("counted predictions", server.metric("turnout_predictions_total"), 2 * len(SHOPPERS))


def second_start(server, client):
    """What a restart must not change, and what the server has learned."""
    expected = {"ada": ["testers", "vip"], "mary": ["buyers"], "emmy": ["collectors"], "vuid_1": ["vip"]}
    for user, names in expected.items():
        yield check(f"{user} after a restart", segments(client, user), names)
    yield eventually("users of the bandit", lambda: sum(arm["users"] for arm in arms(server)), len(SHOPPERS))


def main():
    logging.disable(logging.CRITICAL)
    with support.workspace() as folder:
        server = Server(folder / "shop")
        server.publish(42)
        server.publish(42, PROTECTED)
        with server.running("--set", f"datafile_tokens={PROTECTED}:{TOKEN}"):
            results = [*follow(server), *protected(server)]
        for way in WAYS:
            results += edited(folder, way)
        project = folder / "flags.yaml"
        project.write_text(PROJECT, encoding="utf-8")
        platform = Server(folder / "platform", project)
        options = ["--set", "access.local_management=true"]
        # The datafile names the port of the platform, so it must be known before.
        with platform.running(*options, port=free_port()), sdk(platform.address) as client:
            results += [*predictions(platform, client), *first_start(platform, client)]
        with platform.running(*options, port=free_port()), sdk(platform.address) as client:
            results += second_start(platform, client)
    support.report(results, "optimizely-sdk as a live client")


main()
