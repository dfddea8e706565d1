"""The reference: PyPI's optimizely-sdk, kept away from network, threads and logs."""

from __future__ import annotations

import copy
from typing import Any

from optimizely.config_manager import BaseConfigManager
from optimizely.decision.optimizely_decide_option import OptimizelyDecideOption
from optimizely.decision.optimizely_decision import OptimizelyDecision
from optimizely.event.event_processor import ForwardingEventProcessor
from optimizely.helpers.enums import NotificationTypes
from optimizely.helpers.sdk_settings import OptimizelySdkSettings
from optimizely.optimizely import Optimizely
from optimizely.optimizely_user_context import OptimizelyUserContext
from optimizely.project_config import ProjectConfig
from optimizely.user_profile import UserProfileService

from .comparison import Outcome
from .coverage import Coverage
from .rounds import Round
from .users import Profile, User

OPTION_BY_NAME = {
    "includeReasons": OptimizelyDecideOption.INCLUDE_REASONS,
    "excludeVariables": OptimizelyDecideOption.EXCLUDE_VARIABLES,
    "ignoreUserProfileService": OptimizelyDecideOption.IGNORE_USER_PROFILE_SERVICE,
    "disableDecisionEvent": OptimizelyDecideOption.DISABLE_DECISION_EVENT,
    "enabledFlagsOnly": OptimizelyDecideOption.ENABLED_FLAGS_ONLY,
}


class ReferenceFailed(Exception):
    """The SDK rejected or tripped over generated input: the generator ran into a difference it should avoid."""


class FixedConfig(BaseConfigManager):
    """Serves one datafile. The SDK's own managers swallow errors and compute unused summaries."""

    def __init__(self, datafile: str) -> None:
        super().__init__()
        self._config = ProjectConfig(datafile, self.logger, self.error_handler)

    def get_config(self) -> ProjectConfig:
        return self._config

    def get_sdk_key(self) -> None:
        return None


class RecordedImpressions:
    """Receives events instead of sending them."""

    def __init__(self, log: list[dict[str, Any]]) -> None:
        self._by_flag: dict[str, dict[str, Any]] = {}
        self._log = log

    def dispatch_event(self, event: Any) -> None:
        self._log.append(event.params)
        decision = event.params["visitors"][0]["snapshots"][0]["decisions"][0]
        self._by_flag[decision["metadata"]["flag_key"]] = decision

    def taken(self) -> dict[str, dict[str, Any]]:
        """The impressions since the last call, by flag."""
        taken, self._by_flag = self._by_flag, {}
        return taken


class RecordedProfiles(UserProfileService):
    """A profile service that remembers what was stored without handing it out again."""

    def __init__(self, profiles: dict[str, Profile]) -> None:
        self._profiles = profiles
        self._saved: dict[str, Profile] = {}

    def lookup(self, user_id: str) -> Profile | None:  # type: ignore[override]  # the SDK expects None too
        return copy.deepcopy(self._profiles.get(user_id))

    def save(self, profile: Profile) -> None:
        self._saved[profile["user_id"]] = copy.deepcopy(profile)

    def assignments(self) -> dict[str, dict[str, str]]:
        """Per user, the entries that were not in the profile before."""
        return {user: self._additions(user, profile["experiment_bucket_map"]) for user, profile in self._saved.items()}

    def _additions(self, user: str, entries: dict[str, Any]) -> dict[str, str]:
        before = self._profiles.get(user, {}).get("experiment_bucket_map", {})
        return {key: entry["variation_id"] for key, entry in entries.items() if before.get(key) != entry}


def decide(round_: Round, coverage: Coverage) -> Outcome:
    outcome = Outcome()
    impressions, profiles = RecordedImpressions(outcome.log), RecordedProfiles(round_.profiles)
    options = [OPTION_BY_NAME[name] for name in round_.options]
    try:
        client = silent_client(round_.datafile_text, impressions, profiles)
        client.notification_center.add_notification_listener(NotificationTypes.DECISION, recorder(outcome.log))
        for user in round_.users:
            # Reasons do not influence decisions; the coverage table is made from them.
            decisions = context(client, user).decide_all([*options, OptimizelyDecideOption.INCLUDE_REASONS])
            coverage.count(round_, decisions.values())
            sent = impressions.taken()
            outcome.decisions[user["user"]] = {key: _plain(each, sent.get(key)) for key, each in decisions.items()}
        client.close()
    except Exception as error:
        raise ReferenceFailed(f"optimizely-sdk failed: {error!r}") from error
    outcome.assignments = profiles.assignments()
    return outcome


def recorder(log: list[dict[str, Any]]) -> Any:
    """A listener that records decision notifications as a program would log them."""

    def record(kind: str, user_id: str, attributes: dict[str, Any], info: dict[str, Any]) -> None:
        log.append({"type": kind, "user_id": user_id, "attributes": attributes, "decision_info": copy.deepcopy(info)})

    return record


def silent_client(datafile: str, events: Any, profiles: RecordedProfiles | None = None) -> Optimizely:
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


def _plain(decision: OptimizelyDecision, impression: dict[str, Any] | None) -> dict[str, Any]:
    return {
        "variation": decision.variation_key,
        "rule": decision.rule_key,
        "enabled": decision.enabled,
        "variables": decision.variables,
        "impression": impression,
    }
