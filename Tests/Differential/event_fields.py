"""The fields of a request and their types. Fields that are not in these tables must not be sent."""

import re
import time
from typing import Any, Callable, Iterator

Check = Callable[[Any], bool]
Table = dict[str, Check]

UUID = re.compile(r"[0-9A-F]{8}-[0-9A-F]{4}-4[0-9A-F]{3}-[89AB][0-9A-F]{3}-[0-9A-F]{12}")
RULE_TYPES = ["experiment", "feature-test", "rollout", "holdout"]


def text(value: Any) -> bool:
    return type(value) is str


def truth(value: Any) -> bool:
    return type(value) is bool


def whole(value: Any) -> bool:
    return type(value) is int and -(2**63) <= value < 2**63


def number(value: Any) -> bool:
    return type(value) in (int, float)


def scalar(value: Any) -> bool:
    return text(value) or truth(value) or number(value)


def digits_or_null(value: Any) -> bool:
    return value is None or (text(value) and re.fullmatch("[0-9]+", value) is not None)


def one_of(*values: Any) -> Check:
    return lambda value: any(type(value) is type(each) and value == each for each in values)


def some(value: Any) -> bool:
    return type(value) is list and len(value) > 0


def one(value: Any) -> bool:
    return type(value) is list and len(value) == 1


def tag_value(value: Any) -> bool:
    """Any JSON value except null."""
    if isinstance(value, list):
        return all(tag_value(each) for each in value)
    return all(tag_value(each) for each in value.values()) if isinstance(value, dict) else scalar(value)


def timestamp(value: Any) -> bool:
    """Milliseconds, 13 digits, about now."""
    return whole(value) and len(str(value)) == 13 and abs(value / 1000 - time.time()) < 600


REQUEST: Table = {
    "url": one_of("https://logx.optimizely.com/v1/events", "https://eu.logx.optimizely.com/v1/events"),
    "body": lambda value: type(value) is dict,
}
# In the vendor's interface, the event dispatcher sets these.
METHOD: Table = {
    "method": one_of("POST"), "headers": lambda value: value == {"Content-Type": "application/json"},
}
ENVELOPE: Table = {
    "account_id": text, "project_id": text, "revision": text,
    "client_name": one_of("turnout", "swift-sdk"), "client_version": lambda value: text(value) and value != "",
    "anonymize_ip": truth, "enrich_decisions": one_of(True), "region": one_of("US", "EU"), "visitors": some,
}
VISITOR: Table = {"visitor_id": text, "attributes": lambda value: type(value) is list, "snapshots": one}
ATTRIBUTE: Table = {"entity_id": text, "key": text, "type": one_of("custom"), "value": scalar}
IMPRESSION_SNAPSHOT: Table = {"decisions": one, "events": one}
CONVERSION_SNAPSHOT: Table = {"events": one}
DECISION: Table = {
    "campaign_id": text, "experiment_id": text, "variation_id": digits_or_null,
    "metadata": lambda value: type(value) is dict,
}
METADATA: Table = {
    "flag_key": text, "rule_key": text, "rule_type": one_of(*RULE_TYPES), "variation_key": text, "enabled": truth,
}
EVENT: Table = {
    "entity_id": text, "key": text, "timestamp": timestamp,
    "uuid": lambda value: text(value) and UUID.fullmatch(value) is not None,
}
IMPRESSION: Table = EVENT | {"key": one_of("campaign_activated"), "tags": lambda value: value == {}}
CONVERSION: Table = EVENT | {"tags": lambda value: type(value) is dict and tag_value(value)}
CONVERSION_OPTIONS: Table = {"revenue": whole, "value": number}


class FieldChecks:
    """Checks requests against the tables, and that no event has the id of another."""

    def __init__(self) -> None:
        self._uuids: set[str] = set()

    def problems(self, request: dict[str, Any]) -> list[str]:
        """The problems of a request, each with its place."""
        try:
            return list(self._request(request))
        except (AttributeError, IndexError, KeyError, TypeError) as error:
            return [f"the request has another shape: {error!r}"]

    def _request(self, request: dict[str, Any]) -> Iterator[str]:
        yield from _object("request", request, REQUEST, METHOD)
        body = request["body"]
        yield from _object("body", body, ENVELOPE)
        if (body["region"] == "EU") != ("://eu." in request["url"]):
            yield f"region {body['region']} goes to {request['url']}"
        for visitor in body["visitors"]:
            yield from _object("visitor", visitor, VISITOR)
            for attribute in visitor["attributes"]:
                yield from _object("attribute", attribute, ATTRIBUTE)
            yield from self._snapshot(visitor["snapshots"][0])

    def _snapshot(self, snapshot: dict[str, Any]) -> Iterator[str]:
        event = snapshot["events"][0]
        if "decisions" in snapshot:
            yield from _object("snapshot", snapshot, IMPRESSION_SNAPSHOT)
            decision = snapshot["decisions"][0]
            yield from _object("decision", decision, DECISION)
            yield from _object("metadata", decision["metadata"], METADATA, {"cmab_uuid": text})
            yield from _object("event", event, IMPRESSION)
            if event["entity_id"] != decision["campaign_id"]:
                yield f"entity_id is {event['entity_id']!r}, campaign_id is {decision['campaign_id']!r}"
        else:
            yield from _object("snapshot", snapshot, CONVERSION_SNAPSHOT)
            yield from _object("event", event, CONVERSION, CONVERSION_OPTIONS)
        if event["uuid"] in self._uuids:
            yield f"uuid {event['uuid']} was used before"
        self._uuids.add(event["uuid"])


def _object(place: str, value: dict[str, Any], table: Table, options: Table | None = None) -> Iterator[str]:
    checks = table | (options or {})
    yield from (f"{place} lacks {name}" for name in table if name not in value)
    yield from (f"{place} has {name}, which is not a field" for name in value if name not in checks)
    for name, check in checks.items():
        if name in value and not check(value[name]):
            yield f"{place}: {name} is {value[name]!r}"
