import Testing
import TurnoutEngine
import TurnoutFlags

@Suite("Imports name each part of a foreign file that is lost")
struct ForeignLossTests {
    @Test func partsOfFlagdFilesAreNamed() throws {
        let example = try ForeignExample(
            #"""
            {
              "$schema": "https://flagd.dev/schema/v0/flags.json", "metadata": {"set": "shop"}, "owners": ["a"],
              "flags": {
                "f": {
                  "state": "ENABLED", "variants": {"on": true, "off": false}, "defaultVariant": "off",
                  "metadata": {"description": "A flag.", "ticket": 7}, "targetting": {}
                },
                "g": {
                  "state": "ENABLED", "variants": {"on": true, "off": false}, "defaultVariant": "off",
                  "targeting": {"if": [{"ends_with": [{"var": "mail"}, "x"]}, "on", {"var": "beta"}, "on", "off"]}
                }
              }
            }
            """#, as: .flagd)
        let branch = #"flag "g", targeting: an earlier rule keeps all users from this one, which is left out"#
        #expect(
            example.losses == [
                #"2:56 the file: "metadata" has no equivalent, and is left out"#,
                #"2:85 the file: "owners" has no equivalent, and is left out"#,
                #"6:46 flag "f": "metadata.ticket" has no equivalent, and is left out"#,
                #"6:60 flag "f": "targetting" has no equivalent, and is left out"#,
                "10:90 \(branch)", "10:96 \(branch)",
                #"10:28 flag "g", targeting: "ends_with" has no equivalent"#,
            ])
        #expect(example.imported.flags.first?.description == "A flag.")
        let list = #"{"flags": [{"key": "a", "variants": {"x": 1}, "defaultVariant": "x"}, {"variants": {"x": 1}}]}"#
        #expect(try ForeignExample(list, as: .flagd).losses == ["1:71 the file: a flag has no key, and is left out"])
    }

    @Test func evaluatorsAndGroupsThatNoFlagUsesAreNamedAndNullsToo() throws {
        let flagd = #"""
            {"$evaluators": {"a": {"$ref": "b"}, "b": {"==": [{"var": "x"}, 1]}, "c": {"$ref": "c"}}, "more": null,
             "flags": {"f": {"state": "ENABLED", "variants": {"on": true}, "defaultVariant": "on", "owner": null,
              "targeting": {"if": [{"$ref": "a"}, "on", null]}}}}
            """#
        #expect(
            try ForeignExample(flagd, as: .flagd).losses == [
                #"1:91 the file: "more" has no equivalent, and is left out"#,
                #"1:70 the file: no flag uses "c" of "$evaluators", which is left out"#,
                #"2:88 flag "f": "owner" has no equivalent, and is left out"#,
            ])
        let growthBook = #"""
            {"savedGroups": {"g": ["a"], "h": ["b"]}, "features": {"f": {"defaultValue": false, "rules": [
              {"condition": {"id": {"$inGroup": "g"}}, "force": true, "schedule": null}]}}}
            """#
        #expect(
            try ForeignExample(growthBook, as: .growthBook).losses == [
                #"1:30 the file: no flag uses "h" of "savedGroups", which is left out"#,
                #"2:59 flag "f", rule 1: "schedule" is null, and is left out"#,
            ])
    }

    @Test func partsOfGoFeatureFlagFilesAreNamed() throws {
        let example = try ForeignExample(
            #"""
            {
              "f": {
                "variations": {"on": true, "off": false}, "version": "1.2.0", "trackEvents": false,
                "metadata": {"description": "A flag.", "jira": "T-1"}, "rollout": 3,
                "targeting": [
                  {"name": "old", "query": "a eq 1", "variation": "on", "disable": true},
                  {"query": "b eq 1", "variation": "on", "countries": ["DE"]},
                  {"query": "c eq 1", "variation": "on"},
                  {"variation": "on"},
                  {"name": "late", "query": "d eq 1", "variation": "off"}
                ],
                "defaultRule": {"variation": "off"}
              },
              "g": {"variations": {"on": true}, "trackEvents": true, "defaultRule": {"variation": "on"}},
              "h": {"variations": {"on": true}, "targeting": {"query": "a"}, "defaultRule": {"variation": "on", "x": 1}}
            }
            """#, as: .goFeatureFlag)
        #expect(
            example.losses == [
                #"3:47 flag "f": "version" has no equivalent, and is left out"#,
                #"3:67 flag "f": "trackEvents" has no equivalent, and is left out"#,
                #"4:60 flag "f": "rollout" has no equivalent, and is left out"#,
                #"4:44 flag "f": "metadata.jira" has no equivalent, and is left out"#,
                #"6:7 flag "f", rule 1 ("old"): it is disabled, and is left out"#,
                #"7:46 flag "f", rule 2: "countries" has no equivalent"#,
                #"10:7 flag "f", rule 5 ("late"): an earlier rule keeps all users from this one, which is left out"#,
                #"15:50 flag "h": "targeting" is not a list, and is left out"#,
                #"15:101 flag "h", default rule: "x" has no equivalent"#,
            ])
        #expect(example.decision("f", ["b": 1, "c": 1]) == "off")
        #expect(example.decision("f", ["c": 1]) == "on")
        #expect(example.rules("f") == ["delivery f_rule2_fallback", "delivery f_rule3"])
    }

    @Test func partsOfGrowthBookFilesAreNamed() throws {
        let example = try ForeignExample(
            #"""
            {
              "status": 200, "dateUpdated": "2026-01-01T00:00:00Z", "webhooks": [],
              "features": {
                "f": {
                  "defaultValue": 1, "tags": ["a"],
                  "rules": [
                    {"key": "e", "variations": [1, 2], "hashAttribute": "id", "fallbackAttribute": "device",
                     "disableStickyBucketing": true, "bucketVersion": 2, "minBucketVersion": 1,
                     "name": "E", "phase": "0", "tracks": [{"experiment": {}, "result": {}}]}
                  ]
                },
                "g": {
                  "defaultValue": 1,
                  "rules": [
                    {"variations": [1, 2], "disableStickyBucketing": false, "minBucketVersion": 0},
                    {"condition": {"a": 1}}
                  ]
                },
                "h": {"defaultValue": 1, "rules": {"force": 2}}
              }
            }
            """#, as: .growthBook)
        let lost = "has no equivalent, and is left out"
        #expect(
            example.losses == [
                "2:57 the file: \"webhooks\" \(lost)",
                "5:26 flag \"f\": \"tags\" \(lost)",
                "7:67 flag \"f\", rule 1: \"fallbackAttribute\" \(lost)",
                "8:10 flag \"f\", rule 1: \"disableStickyBucketing\" \(lost)",
                "8:42 flag \"f\", rule 1: \"bucketVersion\" \(lost)",
                "8:62 flag \"f\", rule 1: \"minBucketVersion\" \(lost)",
                "9:37 flag \"f\", rule 1: \"tracks\" \(lost)",
                "16:9 flag \"g\", rule 2: an earlier rule keeps all users from this one, which is left out",
                "19:39 flag \"h\": \"rules\" is not a list, and is left out",
            ])
        expectShares(example.shares("f"), ["1 1": 50, "2 2": 50])
    }

    @Test func rulesWithUnknownKeysAreNotTranslated() throws {
        let example = try ForeignExample(
            #"""
            {"features": {"f": {"defaultValue": 1, "rules": [
              {"condition": {"plan": "pro"}, "force": 2, "unknownCondition": {"a": 1}},
              {"condition": {"plan": "free"}, "force": 3}, {"condition": {"plan": "old"}},
              {"condition": {"plan": "trial"}, "force": 4, "coverage": 0}
            ]}, "g": {"defaultValue": 1, "rules": [{"force": 2, "unknownCondition": {"a": 1}}]}}}
            """#, as: .growthBook)
        #expect(
            example.losses == [
                #"2:46 flag "f", rule 1: "unknownCondition" has no equivalent"#,
                #"3:48 flag "f", rule 3: it serves no value, and is left out"#,
                #"4:3 flag "f", rule 4: it is for no users, and is left out"#,
                #"5:53 flag "g", rule 1: "unknownCondition" has no equivalent"#,
            ])
        #expect(example.notes.filter { $0.advice?.hasPrefix("users to whom it may apply get") == true }.count == 2)
        #expect(example.decision("f", ["plan": "pro"]) == "1 1")
        #expect(example.decision("f", ["plan": "free"]) == "3 3")
        #expect(example.decision("g") == "1 1")
    }

    /// A value of another type than expected must not widen a rule.
    @Test func rulesWithDamagedConditionsAreNotTranslated() throws {
        let example = try ForeignExample(
            #"""
            {"features": {
              "parent": {"defaultValue": 1, "rules": [{"force": 2, "parentConditions": {"id": "other"}}]},
              "coverage": {"defaultValue": 1, "rules": [{"force": 2, "coverage": "half"}]},
              "filter": {"defaultValue": 1, "rules": [
                {"variations": [2, 3], "filters": [{"seed": "ns", "ranges": [[0, 1]], "unknown": 1}]}]}
            }}
            """#, as: .growthBook)
        for flag in ["parent", "coverage", "filter"] {
            #expect(example.decision(flag) == "1 1")
            #expect(example.notes(on: flag).count == 1)
        }
    }

    @Test func eachRuleBehindAnUntranslatedOneIsNamed() throws {
        let example = try ForeignExample(
            #"""
            {"features": {"f": {"defaultValue": 1, "rules": [
              {"force": 2, "parentConditions": [{"id": "g", "condition": {"value": true}}]},
              {"condition": {"plan": "pro"}, "force": 3},
              {"key": "experiment", "variations": [1, 2]}
            ]}}}
            """#, as: .growthBook)
        let lost = "an earlier rule keeps all users from this one, which is left out"
        #expect(
            example.losses == [
                #"2:37 flag "f", rule 1: it depends on another feature"#,
                "3:3 flag \"f\", rule 2: \(lost)", "4:3 flag \"f\", rule 3: \(lost)",
            ])
    }

    /// Notes and rules have the numbers of the file, even if an earlier rule becomes none or two.
    @Test func rulesHaveTheNumbersOfTheFile() throws {
        let growthBook = try ForeignExample(
            #"""
            {"features": {"f": {"defaultValue": 1, "rules": [
              {"condition": {"plan": "old"}},
              {"condition": {"plan": "pro", "mail": {"$regex": "x"}}, "force": 2},
              {"condition": {"plan": "free"}, "force": 3}
            ]}}}
            """#, as: .growthBook)
        #expect(growthBook.rules("f") == ["delivery f_rule2_fallback", "delivery f_rule3"])
        let goFeatureFlag = try ForeignExample(
            #"""
            {"f": {
              "variations": {"a": 1, "b": 2}, "bucketingKey": "targetingKey",
              "targeting": [{"query": "plan eq \"pro\"", "variation": "b"}],
              "defaultRule": {"percentage": {"a": 50, "b": 50}}
            }}
            """#, as: .goFeatureFlag)
        #expect(
            goFeatureFlag.rules("f") == [
                "experiment f_no_bucketing_key", "experiment f_rule1", "experiment f_default",
            ])
    }
}

extension ForeignExample {
    /// What was not translated, with its place: `3:7 flag "f": …`.
    fileprivate var losses: [String] {
        notes.filter { $0.code == "not-translated" }.map { note in
            let place = note.position.map { "\($0.line):\($0.column) " } ?? ""
            return place + note.message
        }
    }
}
