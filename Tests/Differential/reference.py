"""The reference: PyPI's optimizely-sdk, kept away from network, threads and logs."""

import copy
import json
from typing import Any

from optimizely.config_manager import BaseConfigManager
from optimizely.decision.optimizely_decide_option import OptimizelyDecideOption
from optimizely.event.event_processor import ForwardingEventProcessor
from optimizely.helpers.sdk_settings import OptimizelySdkSettings
from optimizely.optimizely import Optimizely
from optimizely.optimizely_user_context import OptimizelyUserContext
from optimizely.project_config import ProjectConfig
from optimizely.user_profile import UserProfileService
from users import User

DISAGREEMENT, UNABLE = 1, 2
OPTION_BY_NAME = {
    "includeReasons": OptimizelyDecideOption.INCLUDE_REASONS,
    "excludeVariables": OptimizelyDecideOption.EXCLUDE_VARIABLES,
    "ignoreUserProfileService": OptimizelyDecideOption.IGNORE_USER_PROFILE_SERVICE,
    "disableDecisionEvent": OptimizelyDecideOption.DISABLE_DECISION_EVENT,
    "enabledFlagsOnly": OptimizelyDecideOption.ENABLED_FLAGS_ONLY,
}


class SideFailed(Exception):
    """A side rejected generated input: the generator ran into a difference it should avoid."""


class FixedConfig(BaseConfigManager):
    """Serves one datafile. The SDK's own managers swallow errors and compute unused summaries."""

    def __init__(self, datafile: str) -> None:
        super().__init__()
        self._config = ProjectConfig(datafile, self.logger, self.error_handler)

    def get_config(self) -> ProjectConfig:
        return self._config

    def get_sdk_key(self) -> None:
        return None


class RecordedEvents:
    """Receives events instead of sending them."""

    def __init__(self, log: list[dict[str, Any]] | None = None) -> None:
        self._events: list[dict[str, Any]] = []
        self._log = [] if log is None else log

    def dispatch_event(self, event: Any) -> None:
        request = {"method": event.http_verb, "url": event.url, "headers": event.headers, "body": event.params}
        self._events.append(copy.deepcopy(request))
        self._log.append(event.params)

    def taken(self) -> list[dict[str, Any]]:
        """The events since the last call."""
        taken, self._events = self._events, []
        return taken

    def impressions(self) -> dict[str, dict[str, Any]]:
        """The impressions since the last call, by flag."""
        decisions = [event["body"]["visitors"][0]["snapshots"][0]["decisions"][0] for event in self.taken()]
        return {decision["metadata"]["flag_key"]: decision for decision in decisions}


def silent_client(datafile: str, events: Any, profiles: UserProfileService | None = None) -> Optimizely:
    """A client that hands its events to `events.dispatch_event` and has nothing to do with the network."""
    return Optimizely(
        config_manager=FixedConfig(datafile),
        event_processor=ForwardingEventProcessor(events),
        user_profile_service=profiles,
        settings=OptimizelySdkSettings(odp_disabled=True),
    )


def context(client: Optimizely, user: User) -> OptimizelyUserContext:
    made = client.create_user_context(user["user"], user.get("attributes"))
    assert made is not None, "the SDK refuses the user id or the attributes"
    if "segments" in user:
        made.set_qualified_segments(user["segments"])
    for forced in user.get("forcedDecisions", []):
        made.set_forced_decision(
            OptimizelyUserContext.OptimizelyDecisionContext(forced["flag"], forced.get("rule")),
            OptimizelyUserContext.OptimizelyForcedDecision(forced["variation"]),
        )
    return made


def same(left: Any, right: Any) -> bool:
    """Equal as JSON: 1 and 1.0 are the same number, true and 1 are different values."""
    return _canonical(left) == _canonical(right)


def _canonical(value: Any) -> str:
    return json.dumps(_with_plain_numbers(value), sort_keys=True)


def _with_plain_numbers(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _with_plain_numbers(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_with_plain_numbers(each) for each in value]
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value
