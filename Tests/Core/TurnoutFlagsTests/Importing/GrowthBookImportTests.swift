import Testing
import TurnoutEngine
import TurnoutFlags

@Suite("Features of GrowthBook decide as they do there")
struct GrowthBookImportTests {
    static let file = #"""
        {
          "status": 200,
          "savedGroups": {"grp_1": ["c1", "c2"]},
          "features": {
            "plain": {"defaultValue": true},
            "no_default": {"defaultValue": null, "rules": [{"condition": {"beta": true}, "force": "b"}]},
            "forced": {
              "defaultValue": "basic",
              "rules": [
                {"id": "fr_1", "condition": {"country": {"$in": ["DE", "AT"]}, "age": {"$gte": 18}}, "force": "adult"},
                {"condition": {"$or": [{"plan": "pro"}, {"staff": true}]}, "force": "extra"}
              ]
            },
            "missing": {
              "defaultValue": false,
              "rules": [{"condition": {"country": {"$ne": "US"}, "plan": {"$nin": ["free", "trial"]}}, "force": true}]
            },
            "order": {"defaultValue": 1, "rules": [{"condition": {"age": {"$lt": 18}}, "force": 2}]},
            "zero": {"defaultValue": 1, "rules": [{"condition": {"count": 0}, "force": 2}]},
            "exists": {
              "defaultValue": 1,
              "rules": [
                {"condition": {"plan": {"$exists": true}, "$nor": [{"plan": "a"}, {"plan": "b"}]}, "force": 2},
                {"condition": {"plan": null}, "force": 3}
              ]
            },
            "negated": {
              "defaultValue": false,
              "rules": [{"condition": {"$not": {"age": {"$gt": 30}}, "plan": {"$not": {"$eq": "x"}}}, "force": true}]
            },
            "versions": {
              "defaultValue": "new",
              "rules": [
                {"condition": {"version": {"$vlt": "2.10.0"}}, "force": "old"},
                {"condition": {"version": {"$veq": "3.0.0"}}, "force": "three"}
              ]
            },
            "group": {
              "defaultValue": false, "rules": [{"condition": {"company": {"$inGroup": "grp_1"}}, "force": true}]
            },
            "rollout": {
              "defaultValue": false, "rules": [{"condition": {"country": "DE"}, "force": true, "coverage": 0.3}]
            },
            "rollout_first": {
              "defaultValue": "none",
              "rules": [
                {"force": "some", "coverage": 0.25, "hashAttribute": "id"}, {"condition": {"vip": true}, "force": "vip"}
              ]
            },
            "test": {
              "defaultValue": "control",
              "rules": [
                {"condition": {"vip": true}, "force": "vip"},
                {"key": "exp", "variations": ["control", "red", "blue"], "weights": [0.5, 0.3, 0.2], "coverage": 0.5,
                 "meta": [{"key": "0", "name": "Control"}, {"key": "1", "name": "Red"}, {"key": "2"}]},
                {"condition": {"country": "US"}, "force": "red"}
              ]
            },
            "objects": {
              "defaultValue": {"size": 1},
              "rules": [{"variations": [{"size": 1}, {"size": 2}], "meta": [{"name": "Small"}, {"name": "Large"}]}]
            },
            "same_hash": {
              "defaultValue": "none",
              "rules": [
                {"condition": {"country": "DE"}, "force": "a", "coverage": 0.5},
                {"condition": {"country": "US"}, "force": "b", "coverage": 0.5},
                {"condition": {"plan": "pro"}, "force": "c", "coverage": 0.8}
              ]
            },
            "pattern": {
              "defaultValue": "none",
              "rules": [
                {"condition": {"country": "DE", "email": {"$regex": "@example"}}, "force": "a"},
                {"condition": {"plan": "pro"}, "force": "b"}
              ]
            },
            "nested": {"defaultValue": false, "rules": [{"condition": {"account.plan": "pro"}, "force": true}]},
            "by_device": {
              "defaultValue": "x", "rules": [{"variations": ["x", "y"], "hashAttribute": "device", "coverage": 1}]
            },
            "namespace": {
              "defaultValue": "x",
              "rules": [{"variations": ["x", "y"], "namespace": ["ns", 0, 0.5]}, {"force": "y"}]
            },
            "parent": {
              "defaultValue": false,
              "rules": [
                {"condition": {"country": "DE"}, "force": true,
                 "parentConditions": [{"id": "plain", "condition": {"value": true}}]},
                {"condition": {"plan": "pro"}, "force": true}
              ]
            },
            "zero_coverage": {
              "defaultValue": 1, "rules": [
                {"condition": {"a": {"$regex": "x"}}, "force": 2, "coverage": 0}, {"force": 3}]
            },
            "gated": {
              "defaultValue": false,
              "rules": [
                {"parentConditions": [{"id": "plain", "condition": {"value": true}, "gate": true}]}, {"force": true}
              ]
            }
          }
        }
        """#

    private let example: ForeignExample

    init() throws { example = try ForeignExample(Self.file, as: .growthBook) }

    @Test func forcedRulesApplyInOrder() {
        #expect(example.decision("plain") == "on")
        #expect(example.decision("no_default") == "off b")
        #expect(example.decision("no_default", ["beta": true]) == "b b")
        #expect(example.decision("forced") == "basic basic")
        #expect(example.decision("forced", ["country": "AT", "age": 18]) == "adult adult")
        #expect(example.decision("forced", ["country": "AT", "age": 17, "plan": "pro"]) == "extra extra")
        #expect(example.decision("forced", ["country": "AT"]) == "basic basic")
        #expect(example.decision("forced", ["staff": true]) == "extra extra")
        #expect(example.decision("group", ["company": "c2"]) == "on")
        #expect(example.decision("group") == "off")
    }

    @Test func missingAttributesCountAsThere() {
        #expect(example.decision("missing") == "on")
        #expect(example.decision("missing", ["country": "US"]) == "off")
        #expect(example.decision("missing", ["country": "DE", "plan": "trial"]) == "off")
        #expect(example.decision("missing", ["plan": "pro"]) == "on")
        #expect(example.decision("order") == "2 2")
        #expect(example.decision("order", ["age": 18]) == "1 1")
        #expect(example.decision("zero") == "2 2")
        #expect(example.decision("zero", ["count": 1]) == "1 1")
        #expect(example.decision("exists") == "3 3")
        #expect(example.decision("exists", ["plan": "c"]) == "2 2")
        #expect(example.decision("exists", ["plan": "b"]) == "1 1")
        #expect(example.decision("negated") == "on")
        #expect(example.decision("negated", ["age": 31]) == "off")
        #expect(example.decision("negated", ["age": 30, "plan": "x"]) == "off")
        #expect(example.decision("negated", ["age": 30, "plan": "y"]) == "on")
        #expect(example.decision("versions") == "old old")
        #expect(example.decision("versions", ["version": "2.9.0"]) == "old old")
        #expect(example.decision("versions", ["version": "2.10.0"]) == "new new")
        #expect(example.decision("versions", ["version": "3.0.0"]) == "three three")
    }

    @Test func usersOutsideTheCoverageContinue() {
        expectShares(example.shares("rollout", ["country": "DE"]), ["on": 30, "off": 70])
        expectShares(example.shares("rollout"), ["off": 100])
        #expect(example.rules("rollout") == ["delivery rollout_rule1"])
        expectShares(example.shares("rollout_first"), ["some some": 25, "none none": 75])
        expectShares(example.shares("rollout_first", ["vip": true]), ["some some": 25, "vip vip": 75])
        #expect(
            example.rules("rollout_first") == ["experiment rollout_first_rule1", "delivery rollout_first_rule2"])
    }

    @Test func experimentsDivideUsersWithoutChangingTheOrder() {
        expectShares(example.shares("test"), ["control control": 75, "red red": 15, "blue blue": 10])
        expectShares(
            example.shares("test", ["country": "US"]), ["control control": 25, "red red": 65, "blue blue": 10])
        expectShares(example.shares("test", ["vip": true]), ["vip vip": 100])
        #expect(
            example.rules("test") == ["experiment test_rule1", "experiment test_rule2", "delivery test_rule3"])
        expectShares(
            example.shares("objects"), [#"Small {"size":1}"#: 50, #"Large {"size":2}"#: 50])
    }

    @Test func rulesWithTheSameHashAreIndependentForOtherUsersOnly() {
        expectShares(example.shares("same_hash", ["country": "DE"]), ["a a": 50, "none none": 50])
        expectShares(example.shares("same_hash", ["country": "US"]), ["b b": 50, "none none": 50])
        expectShares(example.shares("same_hash", ["plan": "pro"]), ["c c": 80, "none none": 20])
        expectShares(example.shares("same_hash", ["plan": "pro", "country": "DE"]), ["a a": 50, "none none": 50])
        #expect(example.notes(on: "same_hash").count == 1)
    }

    @Test func usersOfUntranslatableRulesGetTheDefault() {
        #expect(example.decision("pattern", ["country": "DE", "plan": "pro"]) == "none none")
        #expect(example.decision("pattern", ["plan": "pro"]) == "b b")
        #expect(example.decision("nested", ["account.plan": "pro"]) == "off")
        #expect(example.decision("by_device") == "x x")
        #expect(example.decision("parent", ["country": "DE", "plan": "pro"]) == "off")
        #expect(example.decision("parent", ["plan": "pro"]) == "on")
        for flag in ["pattern", "nested", "by_device", "parent"] {
            #expect(example.notes(on: flag).count == 1, "\(flag)")
        }
        #expect(example.decision("gated") == "off")
        #expect(example.decision("zero_coverage") == "3 3")
    }

    /// Users outside the part continue with the next rule. As in other tests, shares replace the users themselves.
    @Test func experimentsOfANamespaceExcludeEachOther() throws {
        let example = try ForeignExample(
            #"""
            {"features": {
              "a": {"defaultValue": "-", "rules": [
                {"variations": ["x", "y"], "namespace": ["ns", 0, 0.5], "coverage": 0.5}, {"force": "z"}]},
              "b": {"defaultValue": "-", "rules": [
                {"variations": ["x", "x"], "filters": [{"seed": "ns", "ranges": [[0.5, 0.7], [0.9, 1]]}]}]},
              "overlap": {"defaultValue": "-", "rules": [
                {"variations": ["x", "y"], "namespace": ["ns", 0.4, 0.6]}, {"force": "z"}]},
              "other": {"defaultValue": "-", "rules": [{"variations": ["x", "y"], "namespace": ["other", 0.2, 0.4]}]},
              "device": {"defaultValue": "-", "rules": [
                {"variations": ["x", "y"], "filters": [{"seed": "n", "attribute": "device", "ranges": [[0, 1]]}]}]},
              "nothing": {"defaultValue": "-", "rules": [{"variations": ["x", "y"], "namespace": ["ns", 0.8, 0.8]}]}
            }}
            """#, as: .growthBook)
        expectShares(example.shares("a"), ["x x": 13, "y y": 12, "z z": 75])
        expectShares(example.shares("b"), ["x x": 30, "- -": 70])
        expectShares(example.shares("other"), ["x x": 10, "y y": 10, "- -": 80])
        for number in 0..<2_000 {
            let user = "user \(number)"
            let isInA = example.decision("a", user: user) != "z z"
            #expect(!isInA || example.decision("b", user: user) == "- -")
        }
        for flag in ["overlap", "device", "nothing"] { #expect(example.decision(flag) == "- -") }
        #expect(example.notes(on: "overlap").first?.contains("overlaps with that of another experiment") == true)
        #expect(example.notes(on: "device").count == 1)
        #expect(example.notes(on: "a") == [])
        #expect(example.imported.groups.map(\.key) == ["ns", "other"])
        #expect(example.notes.count { $0.message.hasPrefix("namespace ") } == 2)
    }

    @Test func featuresAloneAreRecognized() throws {
        let example = try ForeignExample(
            #"{"f": {"defaultValue": 1, "rules": [{"force": 2, "coverage": 0.5, "hashAttribute": "user_id"}]}}"#,
            as: .growthBook)
        expectShares(example.shares("f"), ["1 1": 50, "2 2": 50])
        #expect(example.notes.contains { $0.message.contains("\"user_id\"") })
    }
}
