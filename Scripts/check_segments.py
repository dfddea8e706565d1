"""Asks `turnout serve` for users' segments and for predictions, and sends it events, with the vendor's Python SDK."""

import contextlib
import json
import pathlib
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

from optimizely import optimizely
from optimizely.config_manager import PollingConfigManager
from optimizely.decision.optimizely_decide_option import OptimizelyDecideOption
from optimizely.event.event_processor import BatchEventProcessor
from optimizely.event_dispatcher import EventDispatcher
from optimizely.helpers.sdk_settings import OptimizelySdkSettings
from optimizely.odp.optimizely_odp_option import OptimizelyOdpOption

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


class Dispatcher:
    """Sends events to the server instead of the vendor's address."""

    def __init__(self, address):
        self.address = address

    def dispatch_event(self, event):
        event.url = self.address + "/v1/events"
        EventDispatcher.dispatch_event(event)


def free_port():
    """An unused port."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


@contextlib.contextmanager
def server(turnout, folder):
    """The address of a server with the project, on a free port."""
    port = free_port()
    command = [turnout, "serve", "--flags", f"{folder}/flags.yaml", "--data", f"{folder}/data", "--port", str(port),
               "--set", "access.local_management=true"]
    process = subprocess.Popen([*command, "--log-format", "json"], stderr=subprocess.PIPE, text=True)
    try:
        for line in process.stderr:
            if json.loads(line)["message"] == "listening":
                yield f"http://127.0.0.1:{port}"
                break
        else:
            sys.exit("check_segments: the server did not start")
    finally:
        process.send_signal(2)
        process.wait(30)


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


def text(address):
    """The body of a response."""
    with urllib.request.urlopen(address, timeout=10) as reply:
        return reply.read().decode()


def check(name, found, expected):
    """Reports a difference."""
    if found != expected:
        print(f"{name}: found {found!r}, expected {expected!r}")
    return found == expected


def segments(client, user):
    """The segments of a user, sorted; nil if they could not be fetched."""
    context = client.create_user_context(user)
    fetched = context.fetch_qualified_segments(options=FRESH)
    return sorted(context.get_qualified_segments()) if fetched else None


def eventually(name, function, expected):
    """Waits until events are processed."""
    deadline = time.monotonic() + 10
    while (found := function()) != expected and time.monotonic() < deadline:
        time.sleep(0.05)
    return check(name, found, expected)


def first_start(address, client):
    """Lists, rules and events."""
    yield check("project file", segments(client, "ada"), ["testers"])
    yield check("unknown user", segments(client, "unknown"), None)
    yield check("upload", request("PUT", address + "/segments/vip/users", "grace\njoan\n"), 200)
    yield check("uploaded", segments(client, "grace"), ["vip"])
    yield check("add one", request("PUT", address + "/segments/vip/users/ada"), 200)
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
    yield check("no segments", client.create_user_context("unknown").decide("offer").enabled, False)


def arms(address):
    """The variations of the bandit, as the server lists them."""
    rules = [rule for rule in json.loads(text(address + "/datafiles/shop.json"))["experiments"] if "cmab" in rule]
    return json.loads(text(f"{address}/predict/{rules[0]['id']}"))["variations"]


def predicted(client, user):
    """The rule and the variation of a user, for which the client asks the server."""
    options = [OptimizelyDecideOption.IGNORE_CMAB_CACHE]
    decision = client.create_user_context(user).decide("checkout", options)
    return decision.rule_key, decision.variation_key


def predictions(address, client):
    """A bandit, whose variations the server predicts."""
    listed = [arm["variation"] for arm in arms(address)]
    yield check("listed variations", sorted(listed), ["one_page", "two_step"])
    found = [predicted(client, user) for user in SHOPPERS]
    yield check("predicted variations", set(found), {("checkout_bandit", variation) for variation in listed})
    yield check("the same users again", [predicted(client, user) for user in SHOPPERS], found)
    counted = [line for line in text(address + "/metrics").splitlines() if line.startswith("turnout_predictions_total")]
    yield check("counted predictions", counted, [f"turnout_predictions_total {2 * len(SHOPPERS)}"])


def second_start(address, client):
    """What a restart must not change, and what the server has learned."""
    expected = {"ada": ["testers", "vip"], "mary": ["buyers"], "emmy": ["collectors"], "vuid_1": ["vip"]}
    for user, names in expected.items():
        yield check(f"{user} after a restart", segments(client, user), names)
    yield eventually("users of the bandit", lambda: sum(arm["users"] for arm in arms(address)), len(SHOPPERS))


def main():
    turnout = sys.argv[1]
    results = []
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "flags.yaml").write_text(PROJECT, encoding="utf-8")
        with server(turnout, folder) as address, sdk(address) as client:
            results += predictions(address, client)
            results += first_start(address, client)
        with server(turnout, folder) as address, sdk(address) as client:
            results += second_start(address, client)
    print(f"{sum(results)} of {len(results)} checks passed")
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
