import Testing
import TurnoutEngine
import TurnoutFlags

@Suite("Flags of GO Feature Flag decide as they do there")
struct GoFeatureFlagImportTests {
    static let file = #"""
        {
          "plain": {
            "variations": {"enabled": true, "disabled": false}, "defaultRule": {"variation": "enabled"},
            "trackEvents": true, "metadata": {"description": "Everyone has it."}
          },
          "off": {
            "variations": {"a": "A", "b": "B"}, "defaultRule": {"variation": "b"}, "disable": true
          },
          "targeted": {
            "variations": {"a": "A", "b": "B", "c": "C"},
            "targeting": [
              {"name": "old rule", "query": "plan eq \"pro\"", "variation": "c", "disable": true},
              {"name": "pros", "query": "plan eq \"pro\" and country in [\"DE\", \"AT\"]", "variation": "a"},
              {"query": "not (age ge 18) or beta eq true", "variation": "b"}
            ],
            "defaultRule": {"variation": "c"}
          },
          "left_to_right": {
            "variations": {"on": true, "off": false},
            "targeting": [{"query": "a eq true or b eq true and c eq true", "variation": "on"}],
            "defaultRule": {"variation": "off"}
          },
          "missing": {
            "variations": {"on": true, "off": false},
            "targeting": [{"query": "plan ne \"free\"", "variation": "on"}],
            "defaultRule": {"variation": "off"}
          },
          "missing_negated": {
            "variations": {"on": true, "off": false},
            "targeting": [{"query": "not (age ne 30) and (score pr)", "variation": "on"}],
            "defaultRule": {"variation": "off"}
          },
          "nulls": {
            "variations": {"absent": 1, "present": 2},
            "targeting": [{"query": "plan == null", "variation": "absent"}],
            "defaultRule": {"variation": "present"}
          },
          "anonymous": {
            "variations": {"known": "k", "unknown": "u"},
            "targeting": [{"query": "anonymous eq false", "variation": "known"}],
            "defaultRule": {"variation": "unknown"}
          },
          "contains": {
            "variations": {"on": true, "off": false},
            "targeting": [{"query": "email co \"@example\"", "variation": "on"}],
            "defaultRule": {"variation": "off"}
          },
          "suffix": {
            "variations": {"on": true, "off": false},
            "targeting": [
              {"query": "country eq \"DE\" and email ew \"@example.com\"", "variation": "on"},
              {"query": "plan eq \"pro\"", "variation": "on"}
            ],
            "defaultRule": {"variation": "off"}
          },
          "versions": {
            "variations": {"old": 0.5, "new": 1.5},
            "targeting": [{"query": "version lt 2.10.0", "variation": "old"}],
            "defaultRule": {"variation": "new"}
          },
          "logic": {
            "variations": {"on": true, "off": false},
            "targeting": [{
              "query": "{\"and\": [{\"!=\": [{\"var\": \"country\"}, \"US\"]}, {\">\": [{\"var\": \"age\"}, 17]}]}",
              "variation": "on"
            }],
            "defaultRule": {"variation": "off"}
          },
          "divided": {
            "variations": {"a": {"n": 1}, "b": {"n": 2}},
            "targeting": [
              {"query": "plan eq \"pro\"", "variation": "a"},
              {"query": "country eq \"DE\"", "percentage": {"a": 20, "b": 60}}
            ],
            "defaultRule": {"percentage": {"a": 10.5, "b": 89.5}}
          },
          "progressive": {
            "variations": {"on": true, "off": false},
            "targeting": [{"query": "country eq \"DE\"", "progressiveRollout": {
              "initial": {"variation": "off", "date": "2024-01-01T00:00:00Z"},
              "end": {"variation": "on", "date": "2024-03-01T00:00:00Z"}
            }}, {"query": "plan eq \"pro\"", "variation": "on"}],
            "defaultRule": {"variation": "off"}
          },
          "by_team": {
            "variations": {"a": "A", "b": "B"}, "bucketingKey": "team",
            "targeting": [{"query": "plan eq \"pro\"", "variation": "b"}],
            "defaultRule": {"percentage": {"a": 50, "b": 50}}
          },
          "scheduled": {
            "variations": {"on": true, "off": false}, "defaultRule": {"variation": "on"},
            "scheduledRollout": [{"date": "2030-01-01T00:00:00Z", "defaultRule": {"variation": "off"}}]
          },
          "user": {
            "variations": {"on": true, "off": false},
            "targeting": [{"query": "targetingKey eq \"user\"", "variation": "on"}],
            "defaultRule": {"variation": "off"}
          },
          "broken": {
            "variations": {"on": true, "off": false},
            "targeting": [{"query": "plan eq", "variation": "on"}],
            "defaultRule": {"variation": "off"}
          }
        }
        """#

    private let example: ForeignExample

    init() throws { example = try ForeignExample(Self.file, as: .goFeatureFlag) }

    @Test func flagsWithoutTargetingHaveTheirDefault() {
        #expect(example.decision("plain") == "on")
        #expect(example.imported.flags.first?.description == "Everyone has it.")
        #expect(example.decision("off") == "off B")
        #expect(example.notes(on: "off").count == 1)
        #expect(example.notes(on: "plain") == [])
    }

    @Test func rulesApplyInOrder() {
        #expect(example.decision("targeted", ["plan": "pro", "country": "AT", "age": 20]) == "a A")
        #expect(example.decision("targeted", ["plan": "pro", "country": "US", "age": 20]) == "c C")
        #expect(example.decision("targeted", ["plan": "free", "country": "AT", "age": 20]) == "c C")
        #expect(example.decision("targeted", ["age": 17]) == "b B")
        #expect(example.decision("targeted", ["age": 20, "beta": true]) == "b B")
        #expect(example.decision("targeted", ["age": 20, "beta": false]) == "c C")
        // `age ge 18` is not met without an age, so `not` is.
        #expect(example.decision("targeted") == "b B")
    }

    @Test func andAndOrHaveTheSamePrecedence() {
        #expect(example.decision("left_to_right", ["a": true]) == "off")
        #expect(example.decision("left_to_right", ["a": true, "c": true]) == "on")
        #expect(example.decision("left_to_right", ["b": true, "c": true]) == "on")
        #expect(example.decision("left_to_right", ["a": false, "b": false, "c": true]) == "off")
    }

    @Test func missingAttributesCountAsThere() {
        #expect(example.decision("missing") == "off")
        #expect(example.decision("missing", ["plan": "pro"]) == "on")
        #expect(example.decision("missing", ["plan": "free"]) == "off")
        #expect(example.decision("missing_negated") == "off")
        #expect(example.decision("missing_negated", ["score": 1]) == "on")
        #expect(example.decision("missing_negated", ["score": 1, "age": 30]) == "on")
        #expect(example.decision("missing_negated", ["score": 1, "age": 31]) == "off")
        #expect(example.decision("nulls") == "absent 1")
        #expect(example.decision("nulls", ["plan": "x"]) == "present 2")
        #expect(example.decision("anonymous") == "known k")
        #expect(example.decision("anonymous", ["anonymous": true]) == "unknown u")
        #expect(example.decision("anonymous", ["anonymous": false]) == "known k")
    }

    @Test func textsVersionsAndJSONLogicAreTranslated() {
        #expect(example.decision("contains", ["email": "me@example.org"]) == "on")
        #expect(example.decision("contains", ["email": "me@sample.org"]) == "off")
        #expect(example.decision("contains") == "off")
        #expect(example.notes(on: "contains").contains { $0.contains("case of letters") })
        #expect(example.decision("versions", ["version": "2.9.0"]) == "old 0.5")
        #expect(example.decision("versions", ["version": "2.10.0"]) == "new 1.5")
        #expect(example.decision("versions") == "new 1.5")
        #expect(example.decision("logic", ["age": 18]) == "on")
        #expect(example.decision("logic", ["age": 18, "country": "US"]) == "off")
        #expect(example.decision("logic", ["country": "DE"]) == "off")
    }

    @Test func percentagesDivideUsersWithoutChangingTheOrder() {
        expectShares(example.shares("divided", ["plan": "pro", "country": "DE"]), [#"a {"n":1}"#: 100])
        expectShares(example.shares("divided", ["country": "DE"]), [#"a {"n":1}"#: 25, #"b {"n":2}"#: 75])
        expectShares(example.shares("divided"), [#"a {"n":1}"#: 11, #"b {"n":2}"#: 89])
        #expect(example.rules("divided").count == 3)
        #expect(example.rules("divided").allSatisfy { $0.hasPrefix("experiment ") })
    }

    @Test func usersOfUntranslatableRulesGetTheDefault() {
        #expect(example.decision("suffix", ["country": "DE", "plan": "pro", "email": "a@example.com"]) == "off")
        #expect(example.decision("suffix", ["country": "FR", "plan": "pro"]) == "on")
        #expect(example.decision("suffix", ["plan": "pro"]) == "on")
        #expect(example.decision("progressive", ["country": "DE", "plan": "pro"]) == "off")
        #expect(example.decision("progressive", ["country": "FR", "plan": "pro"]) == "on")
        #expect(example.decision("by_team", ["plan": "pro"]) == "off A")
        #expect(example.decision("by_team", ["plan": "pro", "team": "x"]) == "b B")
        #expect(example.decision("by_team", ["team": "x"]) == "off A")
        #expect(example.decision("user", user: "user") == "off")
        #expect(example.decision("broken", ["plan": "x"]) == "off")
        for flag in ["suffix", "progressive", "user", "broken"] {
            #expect(example.notes(on: flag).contains { $0.contains("rule 1") }, "\(flag)")
        }
        #expect(example.notes(on: "by_team").contains { $0.contains("default rule") })
    }

    @Test func flagsThatDependOnTheDateAreOff() {
        #expect(example.decision("scheduled") == "off")
        #expect(example.notes(on: "scheduled").contains { $0.contains("scheduledRollout") })
    }
}
