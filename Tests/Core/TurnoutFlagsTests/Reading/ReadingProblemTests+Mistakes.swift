extension ReadingProblemTests {
    private static func flag(_ members: String) -> String { "\"flags\": {\"checkout\": {\(members)}}" }

    private static func rule(_ members: String) -> String {
        flag(#""variations": {"on": {}}, "rules": [{"experiment": "test", \#(members)}]"#)
    }

    static let projectMistakes: [Mistake] = [
        Mistake(
            #""flgas": {}"#,
            #"f:2:1: error: unknown key "flgas" in the project. Did you mean "flags"? [unknown-key]"#),
        Mistake(
            #""zzz": {}"#,
            #"f:2:1: error: unknown key "zzz" in the project; its keys are project, account, settings, "#
                + #"segments, environments, attributes, events, audiences, flags, experiments, groups, holdouts, "#
                + #"configurations, ignore, datafile [unknown-key]"#),
        Mistake(
            #""settings": {"region": "UE"}"#,
            #"f:2:24: error: unknown value "UE" for "region". Did you mean "US"? [unknown-word]"#),
        Mistake(
            #""settings": {"anonymize_ip": "true"}"#,
            #"f:2:30: error: expected true or false for "anonymize_ip", found "true" [wrong-type]"#),
        Mistake(
            #""account": null"#,
            #"f:2:12: error: expected a string for "account", found null [wrong-type]"#),
        Mistake(
            #""project": []"#,
            #"f:2:12: error: expected a string for "project", found an empty list [wrong-type]"#),
        Mistake(
            #""environments": {}"#,
            #"f:2:1: error: the project needs an environment [missing-key]"#),
        Mistake(
            #""environments": {"production": {"sdk_key": "a", "sdk_keys": ["b"]}}"#,
            #"f:2:33: error: "sdk_key" and "sdk_keys" exclude each other in an environment [conflicting-keys]"#),
        Mistake(
            #""environments": {"production": {"sdk_keys": ["a", "b"]}, "staging": {"sdk_key": "b"}}"#,
            #"f:2:58: error: the environments "production" and "staging" both have the SDK key "b"; programs name an "#
                + #"environment by its SDK key, so each needs one of its own [duplicate-sdk-key]"#),
        Mistake(
            #""environments": ["production"]"#,
            #"f:2:17: error: expected a mapping for "environments", found a list [wrong-type]"#),
        Mistake(
            #""attributes": ["plan", "plan"]"#,
            #"f:2:24: error: duplicate key "plan"; it is already in line 2 [duplicate-key]"#),
        Mistake(
            #""events": {"buy": {"was": "sell"}, "buy": {}}"#,
            #"f:2:36: error: duplicate key "buy"; it is already in line 2 [duplicate-key]"#),
        Mistake(
            #""events": {"buy": {"was": "sell"}, "sell": {}}"#,
            #"f:2:12: error: the event "buy" was "sell", which still exists; remove one of them, or "was" "#
                + #"[former-key-exists]"#),
        Mistake(
            #""events": {"buy": {"was": "sell"}, "pay": {"was": "sell"}}"#,
            #"f:2:36: error: the events "buy" and "pay" both were "sell"; only one of them can keep its id "#
                + #"[duplicate-former-key]"#),
        Mistake(
            #""events": {"buy": {"was": "buy"}}"#,
            #"f:2:12: error: the event "buy" has a "was" equal to its own key; remove "was" "#
                + #"[former-key-exists]"#),
        Mistake(
            #""datafile": {"a": {"b": 1, "b": 2}}"#,
            #"f:2:28: error: duplicate key "b"; it is already in line 2 [duplicate-key]"#),
    ]

    static let valueMistakes: [Mistake] = [
        Mistake(
            rule(#""split": {"on": 1}, "traffic": 50"#),
            #"f:2:114: error: expected a percentage for "traffic", found 50; write 50% [percentage]"#),
        Mistake(
            rule(#""split": {"on": 1}, "traffic": "100.01%""#),
            #"f:2:114: error: "traffic" is more than 100%, found "100.01%" [percentage]"#),
        Mistake(
            rule(#""split": {"on": 1}, "traffic": "0.001%""#),
            #"f:2:114: error: "traffic" is finer than a bucket, found "0.001%"; buckets are 0.01% of the "#
                + #"users [percentage]"#),
        Mistake(
            rule(#""split": {"on": 1}, "traffic": "half""#),
            #"f:2:114: error: expected a percentage for "traffic", found "half"; write it like 12.5% "#
                + #"[percentage]"#),
        Mistake(
            rule(#""split": {"on": "50%"}"#),
            #"f:2:99: error: expected a number of at least 0 as weight of "on", found "50%"; weights are "#
                + #"relative to each other and have no % [weight]"#),
        Mistake(
            rule(#""split": {"on": -1}"#),
            #"f:2:99: error: expected a number of at least 0 as weight of "on", found -1 [weight]"#),
        Mistake(
            rule(#""split": {"on": 33.333}"#),
            #"f:2:99: error: the weight of "on" has more than two decimals, found 33.333; multiply all "#
                + #"weights of the split by ten [weight]"#),
        Mistake(
            rule(#""split": {"on": 1000000000}"#),
            #"f:2:99: error: the weight of "on" is more than 1000000 [weight]"#),
        Mistake(
            rule(#""split": {"on": 0, "off": 0}"#),
            #"f:2:83: error: all weights of the split are zero [weight]"#),
        Mistake(
            rule(#""split": ["on", "on"]"#),
            #"f:2:99: error: duplicate key "on"; it is already in line 2 [duplicate-key]"#),
        Mistake(
            rule(#""split": ["on"], "status": "pausd""#),
            #"f:2:110: error: unknown value "pausd" for "status". Did you mean "paused"? [unknown-word]"#),
        Mistake(
            rule(#""split": ["on"], "type": "bandit""#),
            #"f:2:108: error: unknown value "bandit" for "type"; it can be ab, mab, cmab, td, fr, none "#
                + #"[unknown-word]"#),
        Mistake(
            rule(#""split": ["on"], "metrics": ["purchase"]"#),
            #"f:2:112: error: the metric "purchase" does not say what is counted; write purchase.unique; the "#
                + #"counts are unique, total, revenue, value [unknown-word]"#),
        Mistake(
            rule(#""split": ["on"], "metrics": ["purchase.uniqe"]"#),
            #"f:2:112: error: unknown count "uniqe" in a metric. Did you mean "unique"? [unknown-word]"#),
        Mistake(
            flag(#""variables": {"n": 3}, "variations": {"on": {"variables": {"n": 3.5}}}"#),
            #"f:2:88: error: expected an integer for "n", found 3.5 [wrong-type]"#),
        Mistake(
            flag(#""variables": {"n": 3}, "variations": {"on": {"variables": {"n": "4"}}}"#),
            #"f:2:88: error: expected an integer for "n", found "4"; write it without quotes [wrong-type]"#),
        Mistake(
            flag(#""variables": {"n": 9223372036854775808}"#),
            #"f:2:43: error: expected an integer for "n", found 9223372036854775808; integers have at most "#
                + #"64 bits [wrong-type]"#),
        Mistake(
            flag(#""variables": {"n": {"type": "integer", "default": 1e3}}"#),
            #"f:2:74: error: expected an integer for "default", found 1e3 [wrong-type]"#),
        Mistake(
            flag(#""variables": {"n": {"type": "number", "default": 1}}"#),
            #"f:2:52: error: unknown value "number" for "type"; it can be string, integer, double, boolean, "#
                + #"json [unknown-word]"#),
        Mistake(
            flag(#""variables": {"n": {"type": "string"}}"#),
            #"f:2:38: error: a variable needs the key "default" [missing-key]"#),
        Mistake(
            flag(#""variables": {"n": null}"#),
            #"f:2:43: error: expected a default value for "n", found null [wrong-type]"#),
        Mistake(
            flag(#""variables": {"b": true}, "variations": {"on": {"variables": {"b": "true"}}}"#),
            #"f:2:91: error: expected true or false for "b", found "true"; write it without quotes "#
                + #"[wrong-type]"#),
        Mistake(
            flag(#""variables": {"s": ""}, "variations": {"on": {"variables": {"s": null}}}"#),
            #"f:2:89: error: expected a string for "s", found null; write "" for the empty string "#
                + #"[wrong-type]"#),
        Mistake(
            flag(#""variables": {"t": [1, 2]}"#),
            #"f:2:43: error: expected a JSON object for "t", found a list [wrong-type]"#),
        Mistake(
            flag(#""variables": {"t": {"a": 1, "a": 2}}"#),
            #"f:2:52: error: duplicate key "a"; it is already in line 2 [duplicate-key]"#),
        Mistake(
            flag(#""variables": {"t": {}}, "variations": {"on": {"variables": {"t": "[1]"}}}"#),
            #"f:2:89: error: expected a JSON object for "t", found "[1]" [wrong-type]"#),
    ]

    static let referenceMistakes: [Mistake] = [
        Mistake(
            rule(#""split": {"onn": 1}"#),
            #"f:2:93: error: unknown variation "onn". Did you mean "on"? [unknown-variation]"#),
        Mistake(
            rule(#""split": ["on"], "allow_list": {"big": ["ada"]}"#),
            #"f:2:115: error: unknown variation "big"; the variations here are "off", "on" "#
                + #"[unknown-variation]"#),
        Mistake(
            rule(#""split": ["on"], "allow_list": {"on": ["ada"], "off": ["ada"]}"#),
            #"f:2:138: error: user "ada" is in the allow list twice; it is already in line 2 [duplicate-user]"#),
        Mistake(
            rule(#""split": ["on"], "metrics": ["purchse.unique"]"#),
            #"f:2:112: error: unknown event "purchse". Did you mean "purchase"? [unknown-event]"#),
        Mistake(
            rule(#""split": ["on"], "audience": "payng""#),
            #"f:2:112: error: unknown audience "payng"; there are no audiences here [unknown-audience]"#),
        Mistake(
            rule(#""split": ["on"], "audience": {"paln": "premium"}"#),
            #"f:2:113: error: unknown attribute "paln". Did you mean "plan"? [unknown-attribute]"#),
        Mistake(
            flag(#""else": "on""#),
            #"f:2:32: error: unknown variation "on"; the variations here are "off" [unknown-variation]"#),
        Mistake(
            flag(#""else": """#),
            #"f:2:32: error: unknown variation ""; the variations here are "off" [unknown-variation]"#),
        Mistake(
            flag(#""in": {"prod": {}}"#),
            #"f:2:31: error: unknown environment "prod". Did you mean "production"? [unknown-environment]"#),
        Mistake(
            flag(#""in": {"qa": {}}"#),
            #"f:2:31: error: unknown environment "qa"; the environments here are "production", "development" "#
                + #"[unknown-environment]"#),
        Mistake(
            flag(#""variations": {"on": {"variables": {"title": "x"}}}"#),
            #"f:2:60: error: unknown variable "title"; there are no variables here [unknown-variable]"#),
        Mistake(
            flag(#""rules": [{"bandit": "b", "attributes": ["pln"], "split": ["off"]}]"#),
            #"f:2:65: error: unknown attribute "pln". Did you mean "plan"? [unknown-attribute]"#),
        Mistake(
            #""holdouts": {"h": {"traffic": "5%", "rules": ["checkout/test"]}}"#,
            #"f:2:47: error: unknown rule "checkout/test"; there are no rules here [unknown-rule]"#),
        Mistake(
            #""holdouts": {"h": {"traffic": "5%", "rules": []}}"#,
            #"f:2:46: error: the list of rules is empty; leave it out if all rules are meant [empty-list]"#),
        Mistake(
            #""holdouts": {"h": {"traffic": "5%", "environments": ["producton"]}}"#,
            #"f:2:54: error: unknown environment "producton". Did you mean "production"? "#
                + #"[unknown-environment]"#),
        Mistake(
            #""holdouts": {"h": {"traffic": "5%", "variations": {"low": {}}, "split": {"off": 1}}}"#,
            #"f:2:74: error: unknown variation "off"; the variations here are "low" [unknown-variation]"#),
        Mistake(
            #""audiences": {"a": "b", "b": {"not": "c"}, "c": {"any": ["a"]}}"#,
            #"f:2:15: error: the audience "a" refers to itself; a → b → c → a [audience-cycle]"#),
        Mistake(
            #""audiences": {"a": "a"}"#,
            #"f:2:15: error: the audience "a" refers to itself; a → a [audience-cycle]"#),
    ]

    private static let legacy = #""experiments": {"one": {"split": []}, "two": {"split": []}}, "#

    static let structureMistakes: [Mistake] = [
        Mistake(
            rule(#""split": ["on"], "tarffic": "5%""#),
            #"f:2:100: error: unknown key "tarffic" in an experiment. Did you mean "traffic"? [unknown-key]"#),
        Mistake(
            flag(#""rules": [{"experimnt": "test", "split": []}]"#),
            #"f:2:35: error: unknown key "experimnt" in an experiment. Did you mean "experiment"? "#
                + #"[unknown-key]"#),
        Mistake(
            flag(#""rules": [{"serve": "off"}]"#),
            #"f:2:34: error: a rule needs one of the keys experiment, bandit, rollout, delivery [missing-key]"#),
        Mistake(
            flag(#""rules": [{"delivery": "d", "experiment": "e"}]"#),
            #"f:2:52: error: "delivery" and "experiment" exclude each other in a rule [conflicting-keys]"#),
        Mistake(
            flag(#""rules": [{"delivery": "d", "serve": "off"}, {"experiment": "e", "split": []}]"#),
            #"f:2:70: error: the experiment "e" comes after a delivery, but is evaluated before it; move it "#
                + #"before the delivery in line 2 [rule-order]"#),
        Mistake(
            flag(#""rules": [{"delivery": "d", "serve": "off"}, {"delivery": "d", "serve": "off"}]"#),
            #"f:2:70: error: two rules in "production" have the key "d"; the other one is in line 2 "#
                + #"[duplicate-rule]"#),
        Mistake(
            flag(#""rules": [{"rollout": "r", "split": ["off", "on"]}], "variations": {"on": {}}"#),
            #"f:2:51: error: a rollout has one variation, found 2; use an experiment to compare variations "#
                + #"[weight]"#),
        Mistake(
            flag(#""rules": [{"bandit": "b", "split": {"off": 1}}]"#),
            #"f:2:59: error: expected a list of variations for "split", found a mapping [wrong-type]"#),
        Mistake(
            flag(#""rules": ["off"]"#),
            #"f:2:34: error: expected a rule for "rules", found "off"; write it as a mapping with the key "#
                + #"experiment or delivery [wrong-type]"#),
        Mistake(
            flag(#""rules": [{"experiment": "e"}]"#),
            #"f:2:34: error: an experiment needs the key "split" [missing-key]"#),
        Mistake(
            #""experiments": {"one": {"split": [], "attributes": []}}"#,
            #"f:2:38: error: only a bandit has "attributes"; add type: bandit [conflicting-keys]"#),
        Mistake(
            legacy + #""groups": {"g": {"traffic": {"one": "60%", "two": "40.01%"}}}"#,
            #"f:2:79: error: the shares of the group "g" are 100.01% in sum; an exclusive group divides at "#
                + #"most 100% [group-traffic]"#),
        Mistake(
            legacy + #""groups": {"g": {"traffic": {"one": "60%"}}, "h": {"traffic": {"one": "1%"}}}"#,
            #"f:2:125: error: "one" is in the groups "g" and "h"; an experiment can be in one group "#
                + #"[group-overlap]"#),
        Mistake(
            flag(#""rules": [{"delivery": "d", "serve": "off"}]"#)
                + #", "groups": {"g": {"traffic": {"checkout/d": "60%"}}}"#,
            #"f:2:101: error: "checkout/d" is a delivery; groups consist of experiments [unknown-rule]"#),
        Mistake(
            #""audiences": {"a": {}}"#,
            #"f:2:20: error: the condition for "a" is empty; leave it out, or write {all: []} or {any: []} "#
                + #"[empty-condition]"#),
        Mistake(
            #""audiences": {"a": {"plan": {}}}"#,
            #"f:2:29: error: there is no test for the attribute "plan"; test whether it exists with {exists: "#
                + #"true} [empty-condition]"#),
        Mistake(
            #""audiences": {"a": {"plan": []}}"#,
            #"f:2:29: error: the list of values for "plan" is empty [empty-list]"#),
        Mistake(
            #""audiences": {"a": {"plan": null}}"#,
            #"f:2:29: error: expected a string, a number, true or false for "plan", found null; test whether "#
                + #"it is absent with {exists: false} [wrong-type]"#),
        Mistake(
            #""audiences": {"a": [{"plan": "premium"}]}"#,
            #"f:2:20: error: expected a condition for "a", found a list; write {any: […]} or {all: […]} "#
                + #"[wrong-type]"#),
        Mistake(
            #""audiences": {"a": {"plan": {"exact": "premium"}}}"#,
            #"f:2:30: error: unknown key "exact" in the test of an attribute; its keys are is, exists, "#
                + #"contains, gt, ge, lt, le, semver_eq, semver_gt, semver_ge, semver_lt, semver_le [unknown-key]"#),
        Mistake(
            #""audiences": {"a": {"age": {"ge": "18"}}}"#,
            #"f:2:35: error: expected a number for "ge", found "18"; write it without quotes [wrong-type]"#),
        Mistake(
            #""audiences": {"a": {"al": ["plan"]}}"#,
            #"f:2:21: error: unknown key "al" in a condition. Did you mean "all"? [unknown-key]"#),
        Mistake(
            #""audiences": {"a": {"description": "x", "plan": "premium"}}"#,
            #"f:2:15: error: an audience with a description, was or ignore needs the key "condition"; write "#
                + #"{condition: {plan: premium}, description: …} [missing-key]"#),
        Mistake(
            #""audiences": {"a": "#
                + String(repeating: #"{"not": "#, count: 150) + #"{"plan": 1}"# + String(repeating: "}", count: 151),

            #"f:2:820: error: conditions are nested more than 100 levels deep; give a part of it a name as "#
                + #"an audience [too-deep]"#),
    ]
}
