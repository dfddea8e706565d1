import TestSupport
import Testing
import TurnoutEngine
import TurnoutFlags

@Suite("Flags of flagd decide as they do there")
struct FlagdImportTests {
    static let file = #"""
        {
          "$schema": "https://flagd.dev/schema/v0/flags.json",
          "$evaluators": {
            "is_staff": {"in": ["@example.com", {"var": "email"}]},
            "is_tester": {"or": [{"$ref": "is_staff"}, {"==": [{"var": "tester"}, true]}]}
          },
          "flags": {
            "plain": {
              "state": "ENABLED", "variants": {"yes": true, "no": false}, "defaultVariant": "yes",
              "metadata": {"description": "Everyone has it."}
            },
            "no_default": {"state": "ENABLED", "variants": {"yes": true, "no": false}, "defaultVariant": null},
            "disabled": {
              "state": "DISABLED", "variants": {"on": true, "off": false}, "defaultVariant": "on",
              "targeting": {"if": [{"var": "beta"}, "on", "off"]}
            },
            "chain": {
              "state": "ENABLED", "defaultVariant": "free",
              "variants": {"free": 1, "plus": 5, "pro": 20, "staff": 100},
              "targeting": {"if": [
                {"$ref": "is_tester"}, "staff",
                {"===": [{"var": "plan"}, "pro"]}, "pro",
                {"in": [{"var": ["plan"]}, ["plus", "family"]]}, "plus"
              ]}
            },
            "nested": {
              "state": "ENABLED", "defaultVariant": "c", "variants": {"a": "A", "b": "B", "c": "C", "d": "D"},
              "targeting": {"if": [
                {"==": [{"var": "country"}, "DE"]},
                {"if": [{">=": [{"var": "age"}, 18]}, "a", {"<": [{"var": "age"}, 6]}, "b"]},
                "d"
              ]}
            },
            "not_equal": {
              "state": "ENABLED", "variants": {"on": true, "off": false}, "defaultVariant": "off",
              "targeting": {"if": [{"!=": [{"var": "country"}, "US"]}, "on"]}
            },
            "young": {
              "state": "ENABLED", "variants": {"on": true, "off": false}, "defaultVariant": "off",
              "targeting": {"if": [{"<": [{"var": "age"}, 18]}, "on"]}
            },
            "with_default": {
              "state": "ENABLED", "variants": {"on": true, "off": false}, "defaultVariant": "off",
              "targeting": {"if": [{"==": [{"var": ["tier", "basic"]}, "basic"]}, "on"]}
            },
            "between": {
              "state": "ENABLED", "variants": {"in": 0.5, "out": 2}, "defaultVariant": "out",
              "targeting": {"if": [{"<=": [10, {"var": "score"}, 20]}, "in", null]}
            },
            "versions": {
              "state": "ENABLED", "variants": {"old": "o", "new": "n", "other": "x"}, "defaultVariant": "other",
              "targeting": {"if": [
                {"sem_ver": [{"var": "version"}, "<", "2.0"]}, "old",
                {"sem_ver": [{"var": "version"}, "!=", "3.0.0"]}, "new"
              ]}
            },
            "shorthand": {
              "state": "ENABLED", "variants": {"true": true, "false": false}, "defaultVariant": "true",
              "targeting": {"and": [{"!": [{"var": "blocked"}]}, {">": [{"var": "age"}, 17.5]}]}
            },
            "split": {
              "state": "ENABLED", "defaultVariant": "red",
              "variants": {"red": {"code": "f00"}, "blue": {"code": "00f"}, "gray": {"code": "888"}},
              "targeting": {"if": [
                {"==": [{"var": "plan"}, "pro"]}, "gray",
                {"in": [{"var": "country"}, ["DE", "AT"]]},
                {"fractional": [
                  {"cat": [{"var": "$flagd.flagKey"}, {"var": "targetingKey"}]}, ["red", 25], ["blue", 75]
                ]},
                {"==": [{"var": "country"}, "US"]}, "blue"
              ]}
            },
            "shorthand_split": {
              "state": "ENABLED", "variants": {"heads": "h", "tails": "t"}, "defaultVariant": "heads",
              "targeting": {"fractional": [["heads"], ["tails", 1]]}
            },
            "split_of_default": {
              "state": "ENABLED", "variants": {"x": "X", "y": "Y"}, "defaultVariant": "x",
              "targeting": {"fractional": [["y", 40], [null, 60]]}
            },
            "by_company": {
              "state": "ENABLED", "variants": {"x": "X", "y": "Y"}, "defaultVariant": "x",
              "targeting": {"if": [
                {"==": [{"var": "country"}, "DE"]},
                {"fractional": [{"var": "company"}, ["x", 50], ["y", 50]]},
                "y"
              ]}
            },
            "suffix": {
              "state": "ENABLED", "variants": {"on": true, "off": false}, "defaultVariant": "off",
              "targeting": {"if": [
                {"or": [{"==": [{"var": "plan"}, "pro"]}, {"and": [
                  {"==": [{"var": "country"}, "DE"]}, {"ends_with": [{"var": "email"}, "@example.com"]}
                ]}]}, "on",
                {"==": [{"var": "age"}, 30]}, "on"
              ]}
            },
            "by_time": {
              "state": "ENABLED", "variants": {"on": true, "off": false}, "defaultVariant": "off",
              "targeting": {"if": [{">": [{"var": "$flagd.timestamp"}, 1000]}, "on", {"var": "beta"}, "on"]}
            },
            "mixed": {"state": "ENABLED", "variants": {"a": 1, "b": "x"}, "defaultVariant": "a"},
            "lists": {"state": "ENABLED", "variants": {"a": [1], "b": [2]}, "defaultVariant": "a"}
          }
        }
        """#

    private let example: ForeignExample

    init() throws { example = try ForeignExample(Self.file, as: .flagd) }

    @Test func projectHasOneEnvironmentAndUniqueRuleKeys() {
        #expect(example.imported.environments.map(\.key) == ["production"])
        #expect(example.imported.attributes.map(\.key).contains("country"))
        let keys = example.imported.flags.flatMap {
            $0.rules.experiments.map(\.key) + $0.rules.deliveries.map(\.key)
        }
        #expect(Set(keys).count == keys.count)
    }

    @Test func flagsWithoutTargetingHaveTheirDefault() {
        #expect(example.decision("plain") == "on")
        #expect(example.imported.flags.first?.description == "Everyone has it.")
        #expect(example.decision("no_default") == "off")
        #expect(example.notes(on: "no_default").count == 1)
        #expect(example.decision("disabled", ["beta": true]) == "off")
        #expect(example.notes(on: "disabled").count == 1)
    }

    @Test func branchesApplyInOrder() {
        #expect(example.decision("chain") == "free 1")
        #expect(example.decision("chain", ["plan": "pro"]) == "pro 20")
        #expect(example.decision("chain", ["plan": "family"]) == "plus 5")
        #expect(example.decision("chain", ["plan": "plus"]) == "plus 5")
        #expect(example.decision("chain", ["plan": "pro", "email": "a@example.com"]) == "staff 100")
        #expect(example.decision("chain", ["tester": true]) == "staff 100")
        #expect(example.decision("chain", ["tester": false, "email": "a@example.org"]) == "free 1")
        #expect(example.decision("nested", ["country": "DE", "age": 18]) == "a A")
        #expect(example.decision("nested", ["country": "DE", "age": 5]) == "b B")
        #expect(example.decision("nested", ["country": "DE", "age": 10]) == "c C")
        #expect(example.decision("nested", ["country": "FR", "age": 18]) == "d D")
        #expect(example.decision("nested") == "d D")
        // In an order, a missing attribute is 0.
        #expect(example.decision("nested", ["country": "DE"]) == "b B")
    }

    @Test func missingAttributesCountAsThere() {
        #expect(example.decision("not_equal") == "on")
        #expect(example.decision("not_equal", ["country": "US"]) == "off")
        #expect(example.decision("not_equal", ["country": "DE"]) == "on")
        #expect(example.decision("young") == "on")
        #expect(example.decision("young", ["age": 18]) == "off")
        #expect(example.decision("with_default") == "on")
        #expect(example.decision("with_default", ["tier": "gold"]) == "off")
        #expect(example.decision("between") == "out 2.0")
        #expect(example.decision("between", ["score": 10]) == "in 0.5")
        #expect(example.decision("between", ["score": 20.5]) == "out 2.0")
        #expect(example.decision("versions") == "other x")
        #expect(example.decision("versions", ["version": "1.9.9"]) == "old o")
        #expect(example.decision("versions", ["version": "2.0.0"]) == "new n")
        #expect(example.decision("versions", ["version": "3.0.0"]) == "other x")
        #expect(example.decision("shorthand") == "off")
        #expect(example.decision("shorthand", ["age": 18]) == "on")
        #expect(example.decision("shorthand", ["age": 18, "blocked": true]) == "off")
        #expect(example.decision("shorthand", ["age": 18, "blocked": false]) == "on")
    }

    @Test func fractionsDivideUsersWithoutChangingTheOrder() {
        #expect(example.notes.first?.code == "users-move")
        expectShares(example.shares("split"), [#"red {"code":"f00"}"#: 100])
        expectShares(
            example.shares("split", ["country": "AT"]), [#"red {"code":"f00"}"#: 25, #"blue {"code":"00f"}"#: 75])
        expectShares(example.shares("split", ["country": "DE", "plan": "pro"]), [#"gray {"code":"888"}"#: 100])
        expectShares(example.shares("split", ["country": "US"]), [#"blue {"code":"00f"}"#: 100])
        #expect(
            example.rules("split") == ["experiment split_rule1", "experiment split_rule2", "delivery split_rule3"])
        expectShares(example.shares("shorthand_split"), ["heads h": 50, "tails t": 50])
        expectShares(example.shares("split_of_default"), ["x X": 60, "y Y": 40])
    }

    @Test func usersOfUntranslatableRulesGetTheDefault() {
        #expect(example.notes(on: "by_company").count == 1)
        #expect(example.decision("by_company", ["country": "DE"]) == "x X")
        #expect(example.decision("by_company") == "y Y")
        #expect(example.notes(on: "suffix").first?.contains("ends_with") == true)
        #expect(example.decision("suffix", ["plan": "pro"]) == "on")
        #expect(example.decision("suffix", ["country": "DE", "age": 30, "email": "a@example.com"]) == "off")
        #expect(example.decision("suffix", ["country": "FR", "age": 30]) == "on")
        #expect(example.decision("suffix", ["age": 30]) == "on")
        #expect(example.decision("by_time", ["beta": true]) == "off")
        #expect(example.rules("by_time") == [])
    }

    @Test func flagsWithoutTypeAreLeftOut() {
        #expect(example.rules("mixed") == ["no flag"])
        #expect(example.rules("lists") == ["no flag"])
        #expect(example.notes(on: "mixed").count == 1)
        #expect(example.notes.allSatisfy { $0.code == "users-move" || $0.position != nil })
    }

    /// Each branch repeats the conditions around it, which could multiply without limit.
    @Test(.thorough) func largeConditionsAreLeftOut() throws {
        let outer = (0..<2_000).map { #"{"==": [{"var": "a"}, \#($0)]}"# }.joined(separator: ", ")
        let inner = (0..<2_000).map { #"{"==": [{"var": "b"}, \#($0)]}, "on""# }.joined(separator: ", ")
        let file = #"""
            {"flags": {"f": {"variants": {"on": true, "off": false}, "defaultVariant": "off", "state": "ENABLED",
                "targeting": {"if": [{"or": [\#(outer)]}, {"if": [\#(inner)]}]}}}}
            """#
        let example = try ForeignExample(file, as: .flagd)
        #expect(example.decision("f", ["a": 5, "b": 3]) == "on")
        #expect(example.decision("f", ["a": 5, "b": 1_500]) == "off")
        #expect(example.rules("f").count < 20)
        #expect(example.notes(on: "f").contains { $0.contains("too large or too deep") })
    }

    @Test func referencesToThemselvesEnd() throws {
        let file = #"""
            {"$evaluators": {"a": {"or": [{"$ref": "a"}, {"$ref": "a"}]}, "b": {"$ref": "b"}}, "flags": {
              "f": {"variants": {"on": true, "off": false}, "defaultVariant": "off", "state": "ENABLED",
                "targeting": {"if": [{"$ref": "a"}, "on", {"$ref": "b"}, "on"]}}}}
            """#
        let example = try ForeignExample(file, as: .flagd)
        #expect(example.decision("f") == "off")
        #expect(example.notes(on: "f").contains { $0.contains("too large or too deep") })
    }
}
