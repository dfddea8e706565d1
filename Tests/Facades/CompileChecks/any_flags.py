"""Prints a datafile whose keys, descriptions and default values are as unlike Swift as possible.

    python3 Tests/Facades/CompileChecks/any_flags.py [COUNT]    with COUNT ordinary flags in addition; default 20

`Scripts/prove compile-checks` generates code from it and compiles that.
"""

import json
import sys

WORDS = """
    actor any Any as associatedtype associativity async await borrowing break case catch class consume continue copy
    default defer deinit didSet discard distributed do dynamic each else enum extension fallthrough false fileprivate
    final for func get guard if import in indirect infix init inout internal is isolated lazy left let macro mutating
    nil nonisolated nonmutating none open operator optional override package postfix precedence precedencegroup prefix
    private protocol Protocol public repeat required rethrows return right Self self sending set some static struct
    subscript super switch then throw throws true try Type typealias unowned var weak where while willSet yield
    allCases client decision hash hashValue isEnabled jsonObject key rawValue RawValue variation description
    Array Bool CaseIterable Character Decision DecideOptions Dictionary Double Duration Equatable Flag Flags FlagClient
    Hashable Int JSONValue Never Optional RawRepresentable Sendable String Swift TurnoutClient TurnoutEngine User
    UserContext Variable VariableValue Variation IntegerLiteralType StringLiteralType
""".split()

KEYS = WORDS + [
    "", " ", "_", "__", "$", "$0", "`", "``", "1", "1st", "42", "-1", ".", "..", "a.b", "a b", "a_b", "a-b", "aB", "AB",
    "A_B", "checkout-v2", "CHECKOUT", "Checkout", "checkout", "URLCheck", "string_flag", "flag_1st", "_1st", "🎉", "🎉🎉",
    "👩‍👩‍👧", "é", "e\u0301x", "ß", "ßx", "İ", "ŉ", "日本", "größe", "ǆ", "α_β", "\u2e2f", "\u0e33", "\ufdfa", "𝒳", "Ⅷ",
    '"', '\\', '\\(key)', '"""', '"#', "*/", "/*", "//", "\n", "\r", "\r\n", "\t", "\0", "\u2028", "\u202e", "\u200b",
    "\ufeff", "#if", "#endif", "@main", "<key>", "a" * 3000,
]

DESCRIPTIONS = [
    "Ends a comment: */ and starts one: /*", "line\nfeed", "carriage\rreturn", "both\r\n\r\nat once", "`ticks` ```",
    "\0null", "turned \u202e around", "\u2028\u2029", " \n \n ", "/// ///", "\\(code)", "#if true",
]

DEFAULTS = [
    ("string", "plain"), ("string", '"quoted" \\(x) \n \0 \u202e 🎉'), ("string", ""), ("integer", "3"),
    ("integer", "-9223372036854775808"), ("integer", "many"), ("double", "0.1"), ("double", "1e308"),
    ("double", "-0.0"), ("double", "5e-324"), ("double", "nan"), ("boolean", "true"), ("boolean", "yes"),
    ("json", '{"a":[1,{"b":null}],"c":"\\""}'), ("json", "[1]"), ("json", "{}"), ("date", "2026-01-01"),
]


def flags(keys):
    """The flags and rollouts for keys. Each flag has a few of the keys as variables and variations too."""
    for number, key in enumerate(keys):
        near = [keys[(number + step) % len(keys)] for step in range(len(DEFAULTS))]
        variables = [
            {"id": f"{number}-{step}", "key": name, "type": kind, "defaultValue": value,
             "description": DESCRIPTIONS[(number + step) % len(DESCRIPTIONS)]}
            for step, (name, (kind, value)) in enumerate(zip(near, DEFAULTS))
        ]
        variations = [
            {"id": f"{number}-v{step}", "key": name, "featureEnabled": True, "variables": []}
            for step, name in enumerate(near)
        ]
        rule = {
            "id": f"r{number}", "key": f"r{number}", "layerId": f"l{number}", "status": "Running", "audienceIds": [],
            "forcedVariations": {}, "trafficAllocation": [], "variations": variations,
        }
        yield (
            {"id": f"f{number}", "key": key, "rolloutId": f"o{number}", "experimentIds": [], "variables": variables,
             "description": DESCRIPTIONS[number % len(DESCRIPTIONS)]},
            {"id": f"o{number}", "experiments": [rule]},
        )


def all_at_once(number):
    """A flag with every key as a variable and as a variation."""
    flag, rollout = next(flags(["everything"]))
    flag["id"], flag["rolloutId"], rollout["id"] = f"f{number}", f"o{number}", f"o{number}"
    flag["variables"] = [
        {"id": f"all-{step}", "key": key, "type": "integer", "defaultValue": "1"} for step, key in enumerate(KEYS)
    ]
    rollout["experiments"][0]["variations"] = [
        {"id": f"all-v{step}", "key": key, "featureEnabled": True, "variables": []} for step, key in enumerate(KEYS)
    ]
    return flag, rollout


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    entries = list(flags(KEYS))
    entries.append(all_at_once(len(entries)))
    for number in range(count):
        flag, rollout = next(flags([f"flag_{number}"]))
        # Ordinary ones have a few members only.
        flag["id"], flag["rolloutId"], rollout["id"] = f"n{number}", f"no{number}", f"no{number}"
        flag["variables"] = [
            {"id": f"n{number}-{name}", "key": name, "type": kind, "defaultValue": value}
            for name, kind, value in [("steps", "integer", "3"), ("title", "string", "Hi"), ("new", "boolean", "true")]
        ]
        rollout["experiments"][0]["variations"] = [
            {"id": f"n{number}-{name}", "key": name, "featureEnabled": name == "on", "variables": []}
            for name in ["on", "off"]
        ]
        entries.append((flag, rollout))
    print(json.dumps({
        "version": "4", "projectId": "1", "accountId": "2", "revision": "3", "anonymizeIP": True, "experiments": [],
        "audiences": [], "groups": [], "attributes": [], "events": [],
        "featureFlags": [flag for flag, _ in entries], "rollouts": [rollout for _, rollout in entries],
    }))


main()
