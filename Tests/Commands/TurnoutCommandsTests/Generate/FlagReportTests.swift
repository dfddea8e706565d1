import TurnoutCodeGeneration

/// The report of `turnout generate --report`.
@Suite struct FlagReportTests {
    private func uses(_ source: String) -> [FlagUse.Subject] { FlagUse.uses(in: Array(source.utf8)).map(\.subject) }

    private func report(_ source: String, flags: String...) -> String {
        var report = FlagReport(FlagSchema(flags: flags.map { .init(key: $0) }))
        report.add(Array(source.utf8), file: "A.swift")
        return report.report.text()
    }

    @Test(arguments: [
        #"user.decide("f")"#, #"client.decide("f", for: ada)"#, #"ada.decide(key: "f")"#, #"ada.isEnabled("f")"#,
        #"ada.value("f", "steps", default: 3)"#, #"optimizely.isFeatureEnabled(featureKey: "f", userId: "ada")"#,
        #"try optimizely.getFeatureVariableInteger(featureKey: "f", variableKey: "v", userId: "u")"#,
        #"optimizely.isFeatureEnabled("f", userId: "ada")"#, #"await ada.decideAsync(key: "f")"#,
        ##"ada.decide(#"f"#)"##, "ada.decide(\n    \"f\"\n)", #"ada.decide("\u{66}")"#,
        #"for await decision in ada.decisions(of: "f") {}"#, #"session.decisions(of: "f", within: limit)"#,
        #"@FlagDecision("f") private var checkout"#, #"ObservedDecision(of: "f", for: session)"#,
        #"ada.forcedDecisions[DecisionContext(flag: "f", rule: "r")] = "on""#,
        #"OptimizelyDecisionContext(flagKey: "f")"#, #"ada.value("f", name, default: 3)"#,
        #"await flags.value(for: "f", defaultingTo: false, context: ada)"#,
        #"client.getBooleanValue(key: "f", defaultValue: false)"#,
        #"client.getStringDetails(key: "f", defaultValue: "")"#, #"print("result: \(ada.decide("f").isEnabled)")"#,
        #"ada . decide /* now */ ("f")"#,
    ]) func callsWithAKeyAreFound(source: String) {
        let found = uses(source)
        #expect(found.contains(.key("f")))
        #expect(!found.contains(.literal("f")) && !found.contains(.computed))
    }

    @Test func callsWithSeveralKeysAreFound() {
        #expect(uses(#"ada.decide(["a", "b",])"#) == [.key("a"), .key("b")])
        #expect(uses(#"ada.decide(keys: ["a", other])"#) == [.key("a"), .computed])
    }

    @Test(arguments: [
        #"// ada.decide("f")"#, #"/* /* */ ada.decide("f") */"#, "#\"\"\"\nada.decide(\"f\")\n\"\"\"#",
        "func decide(_ key: String) {}", "arguments.value(name)", #"decide(name)"#, "map.value(for: user)",
        #"log.decisions("f")"#, #"map.value(for: "f")"#, #"map.value("f", in: "a", default: 1)"#,
        #"Context(flag: "f")"#,
    ]) func codeThatAsksForNoFlagIsIgnored(source: String) {
        #expect(!uses(source).contains(.key("f")) && !uses(source).contains(.computed))
    }

    @Test func computedKeysAreReported() {
        #expect(uses("ada.decide(name)") == [.computed])
        #expect(uses("ada.decisions(of: name)") == [.computed])
        #expect(uses("ObservedDecision(of: keys[0], for: session)") == [.computed])
        #expect(uses(#"ada.value(name, "steps", default: 3)"#).contains(.computed))
        #expect(uses(#"ada.value(keys(of: a, b)[0], name, default: 3)"#).contains(.computed))
        #expect(uses("flags.value(for: name, defaultingTo: false)") == [.computed])
        #expect(uses(#"ada.decide("a" + name)"#).contains(.computed))
        #expect(uses(#"ada.decide("a_\(name)")"#).contains(.computed))
    }

    @Test func typedCallsAreFound() {
        #expect(uses("flags.checkout(for: ada).steps") == [.member("checkout")])
        #expect(uses("await shop.flags?.`default`(for: ada, within: limit)") == [.member("default")])
        #expect(uses("func show(_ checkout: Flags.Checkout)") == [.type("Checkout")])
    }

    @Test func flagsAreSortedByUse() {
        let report = report(
            """
            let key = "named"
            if ada.decide("used").isEnabled {}
            flags.typed(for: ada)
            flags.gone(for: ada)
            search.find(for: text)
            ada.decide("missing")
            """, flags: "used", "typed", "named", "unused")
        #expect(
            report == """
                The code in 1 file uses 2 of 4 flags.

                Missing, but used
                  flags.gone
                    A.swift:4: .gone(for:)
                  missing
                    A.swift:6: decide("missing")

                Unused
                  unused

                Only named in a string
                  named
                    A.swift:1: "named"

                Used
                  typed
                    A.swift:3: .typed(for:)
                  used
                    A.swift:2: decide("used")

                """)
    }

    @Test func generatedCodeIsNotAUse() {
        let schema = FlagSchema(flags: [.init(key: "a")])
        var report = FlagReport(schema)
        report.add(Array(SwiftFlags(schema, access: .public).text.utf8), file: "Flags.swift")
        #expect(report.report.text().contains("Unused\n  a\n"))
    }

    @Test func anySourceCanBeRead() {
        for source in [
            "\"", "\"\\", "\"\\(", "\"\\u{", "/*", "`", "#", "##\"", "\"\"\"", "decide(", ".a(for", "\"\\u{110000}\"",
        ] {
            _ = uses(source)
            _ = uses("x.decide(" + source)
        }
        let count = rounds(20_000, thorough: 100_000)
        _ = uses(String(repeating: "\"\\(", count: count))
        _ = uses(String(repeating: "#", count: count))
    }
}
