"""Datafiles of a size."""

PLANS = ["free", "basic", "premium", "business"]


def condition(name, match, value):
    return {"type": "custom_attribute", "name": name, "match": match, "value": value}


def audience(number):
    """Conditions on four attributes."""
    return {
        "id": f"9{number:04}", "name": f"audience_{number}",
        "conditions": [
            "and",
            ["or", condition("plan", "exact", PLANS[number % 4]), condition("orders", "gt", number % 40)],
            ["or", condition("app_version", "semver_ge", f"{number % 9}.2"), condition("country", "exact", "FI")],
        ],
    }


def variations(prefix, keys):
    return [{"id": f"{prefix}{index}", "key": key, "featureEnabled": True, "variables": []}
            for index, key in enumerate(keys)]


def rule(prefix, key, layer, audiences, keys, end):
    made = variations(prefix, keys)
    return {
        "id": prefix, "key": key, "status": "Running", "layerId": layer, "audienceIds": audiences,
        "forcedVariations": {}, "variations": made,
        "trafficAllocation": [{"entityId": variation["id"], "endOfRange": end * (index + 1) // len(made)}
                              for index, variation in enumerate(made)],
    }


def datafile(flags):
    """Each flag has an experiment for half of the members of an audience, and a rollout of two rules."""
    numbers = range(flags)
    experiments = [rule(f"1{n:04}", f"experiment_{n}", f"2{n:04}", [f"9{n % 50:04}"], ["control", "treatment"], 5000)
                   for n in numbers]
    rollouts = [
        {"id": f"3{n:04}", "experiments": [
            rule(f"4{n:04}", f"delivery_{n}", f"3{n:04}", [f"9{(n + 7) % 50:04}"], ["on"], 8000),
            rule(f"5{n:04}", f"default-rollout-{n}", f"3{n:04}", [], ["off"], 10000)]}
        for n in numbers
    ]
    features = [
        {"id": f"6{n:04}", "key": f"flag_{n}", "experimentIds": [f"1{n:04}"], "rolloutId": f"3{n:04}",
         "variables": [{"id": f"7{n:04}", "key": "steps", "type": "integer", "defaultValue": "3"},
                       {"id": f"8{n:04}", "key": "title", "type": "string", "defaultValue": "Pay"}]}
        for n in numbers
    ]
    attributes = ["plan", "orders", "app_version", "country", "logged_in"]
    return {
        "version": "4", "accountId": "100200", "projectId": "100300", "anonymizeIP": True, "botFiltering": False,
        "attributes": [{"id": f"{index}", "key": key} for index, key in enumerate(attributes)],
        "events": [{"id": "300103", "key": "purchase", "experimentIds": []}],
        "audiences": [], "typedAudiences": [audience(n) for n in range(50)], "groups": [],
        "experiments": experiments, "rollouts": rollouts, "featureFlags": features, "variables": [],
    }
