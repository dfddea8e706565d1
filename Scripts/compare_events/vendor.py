"""The events of the vendor's SDK."""

from __future__ import annotations

import copy
from typing import Any

from compare_python.reference import OPTION_BY_NAME, ReferenceFailed, context, silent_client
from optimizely.optimizely_user_context import OptimizelyUserContext

from .calls import Call
from .rounds import Round


class RecordedEvents:
    """Receives events instead of sending them."""

    def __init__(self) -> None:
        self._events: list[dict[str, Any]] = []

    def dispatch_event(self, event: Any) -> None:
        request = {"method": event.http_verb, "url": event.url, "headers": event.headers, "body": event.params}
        self._events.append(copy.deepcopy(request))

    def taken(self) -> list[dict[str, Any]]:
        """The events since the last call."""
        taken, self._events = self._events, []
        return taken


def events(round_: Round) -> list[list[dict[str, Any]]]:
    """The events of each call, as requests with one visitor."""
    recorded = RecordedEvents()
    try:
        client = silent_client(round_.datafile_text, recorded)
        result = []
        for call in round_.calls:
            _make(call, context(client, call))
            result.append(recorded.taken())
        client.close()
    except Exception as error:
        raise ReferenceFailed(f"optimizely-sdk failed: {error!r}") from error
    return result


def _make(call: Call, user: OptimizelyUserContext) -> None:
    if call["call"] == "track":
        return user.track_event(call["event"], copy.deepcopy(call.get("tags")))
    options: list[Any] = [OPTION_BY_NAME[name] for name in call["options"]]
    if call["call"] == "decide":
        user.decide(call["flag"], options)
    elif call["call"] == "decideSome":
        user.decide_for_keys(call["flags"], options)
    else:
        user.decide_all(options)
