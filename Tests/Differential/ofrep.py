"""OpenFeature's Python provider evaluates the flags of the sample shop with `turnout serve`."""

import json
import re
import urllib.error
import urllib.request

import support
from openfeature import api
from openfeature.contrib.provider.ofrep import OFREPProvider
from openfeature.evaluation_context import EvaluationContext
from openfeature.exception import ErrorCode
from support import KEY, Server, check

SHOP = support.ROOT / "Examples/Shop/datafile.json"
ADA = EvaluationContext("ada", {"country": "US", "orders": 12, "plan": "gold", "cart": {"items": [1, 2]}})
# The call, the key, the default, and the value, variant and reason that are expected.
CASES = [
    ("boolean", "checkout_redesign", False, True, "one_page", "SPLIT"),
    ("string", "checkout_redesign.layout", "-", "one_page", "one_page", "SPLIT"),
    ("string", "checkout_redesign/layout", "-", "one_page", "one_page", "SPLIT"),
    ("integer", "checkout_redesign.steps", -1, 1, "one_page", "SPLIT"),
    ("boolean", "checkout_redesign.express_pay", False, True, "one_page", "SPLIT"),
    ("float", "search_ranking.rating_boost", -1.0, 1.0, "by_sales", "SPLIT"),
    ("object", "recommendations.places", {}, {"cart": False, "home": True}, "popular", "TARGETING_MATCH"),
    ("object", "checkout_redesign.*", {}, {"layout": "one_page", "steps": 1, "express_pay": True}, "one_page", "SPLIT"),
    ("boolean", "loyalty_banner", False, True, "thanks", "TARGETING_MATCH"),
    ("boolean", "new_invoice", True, False, "classic", "TARGETING_MATCH"),
]


def evaluations(client):
    """Checks each case."""
    for kind, key, default, value, variant, reason in CASES:
        details = getattr(client, f"get_{kind}_details")(key, default, ADA)
        found = (details.value, type(details.value), details.variant, str(details.reason), details.error_code)
        yield check(key, found, (value, type(value), variant, reason, None))
        yield check(f"{key}: revision", details.flag_metadata.get("revision"), "42")


def errors(address, client):
    """Checks what clients do with failures."""
    unknown = client.get_boolean_details("unknown", True, ADA)
    yield check("unknown flag", (unknown.value, unknown.error_code), (True, ErrorCode.FLAG_NOT_FOUND))
    wrong = client.get_string_details("checkout_redesign", "-", ADA)
    yield check("wrong type", (wrong.value, wrong.error_code), ("-", ErrorCode.TYPE_MISMATCH))
    missing = client.get_boolean_details("checkout_redesign", False, EvaluationContext())
    yield check("no user", missing.error_code, ErrorCode.TARGETING_KEY_MISSING)
    for key, name in [("other", "unknown key"), (None, "no key")]:
        headers = {"X-API-Key": key} if key else {}
        api.set_provider(OFREPProvider(address, headers_factory=lambda headers=headers: headers), name)
        details = api.get_client(name).get_boolean_details("checkout_redesign", False, ADA)
        yield check(name, (details.value, details.error_code), (False, ErrorCode.GENERAL))
    api.set_provider(OFREPProvider(f"{address}/p/{KEY}"), "path")
    yield check("key in the path", api.get_client("path").get_boolean_value("checkout_redesign", False, ADA), True)


def post(address, headers):
    """The status, the headers and the content of an evaluation of all flags."""
    body = json.dumps({"context": {"targetingKey": "ada", "country": "US"}}).encode()
    request = urllib.request.Request(
        f"{address}/ofrep/v1/evaluate/flags", body, {"X-API-Key": KEY, "Content-Type": "application/json", **headers}
    )
    try:
        with urllib.request.urlopen(request, timeout=10) as response:
            return response.status, response.headers, json.load(response)
    except urllib.error.HTTPError as error:
        return error.code, error.headers, None


def bulk(address):
    """Checks the evaluation of all flags, its entity tag and its stream."""
    status, headers, content = post(address, {"Origin": "https://shop.example"})
    yield check("bulk", (status, len(content["flags"])), (200, 32))
    yield check("exposed to pages", "ETag" in headers["Access-Control-Expose-Headers"], True)
    yield check("unchanged", post(address, {"If-None-Match": headers["ETag"]})[0], 304)
    path = content["eventStreams"][0]["endpoint"]["requestUri"]
    with urllib.request.urlopen(address + path, timeout=10) as stream:
        yield check("stream", stream.headers["Content-Type"], "text/event-stream")
        yield check("first event", re.fullmatch(r"id: [0-9a-f]+\n", stream.readline().decode()) is not None, True)


def rates(address):
    """Checks that a client that is refused for its rate falls back to its defaults."""
    api.set_provider(OFREPProvider(address, headers_factory=lambda: {"X-API-Key": KEY}), "limited")
    client = api.get_client("limited")
    yield check("first request", client.get_boolean_value("checkout_redesign", False, ADA), True)
    yield check("second request", client.get_boolean_value("checkout_redesign", False, ADA), False)


def main():
    with support.workspace() as folder:
        server = Server(folder, SHOP)
        with server.running():
            api.set_provider(OFREPProvider(server.address, headers_factory=lambda: {"X-API-Key": KEY}))
            results = [*evaluations(api.get_client()), *errors(server.address, api.get_client()), *bulk(server.address)]
        with server.running("--set", "access.requests_per_second=0.1", "--set", "access.burst=1"):
            results += rates(server.address)
    support.report(results, "OpenFeature's provider")


main()
