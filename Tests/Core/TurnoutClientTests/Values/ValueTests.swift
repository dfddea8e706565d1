/// A variable is read with a default, whose type it has.
@Suite struct ValueTests {
    private struct Theme: Decodable, Equatable {
        var color: String
        var columns: Int
    }

    private enum Layout: String, Decodable { case onePage, twoStep }

    private static let script = Script(
        .always(
            "checkout", "a",
            variables: [
                "steps": 2, "boost": 1.5, "express": true, "title": "Pay", "layout": "onePage",
                "theme": ["color": "red", "columns": 4], "broken": ["color": 1],
            ]), .off("closed", variables: ["steps": 1]), .defaults("closed", ["steps": 5]))

    private let sent = RecordedEvents()
    private let log = MemoryLog(level: .warning)

    private func ada() -> UserContext {
        FlagClient.scripted(Self.script, recording: sent, configuration: .quiet { $0.log = log }).user("ada")
    }

    @Test func theDefaultDeterminesTheType() {
        let ada = ada()
        #expect(ada.value("checkout", "steps", default: 3) == 2)
        #expect(ada.value("checkout", "boost", default: 1.0) == 1.5)
        #expect(ada.value("checkout", "express", default: false))
        #expect(ada.value("checkout", "title", default: "Buy") == "Pay")
        #expect(ada.value("checkout", "layout", default: Layout.twoStep) == .onePage)
        #expect(
            ada.value("checkout", "theme", default: Theme(color: "", columns: 1)) == Theme(color: "red", columns: 4))
        #expect(ada.value("checkout", "steps", default: Int?.none) == 2)
        #expect(log.entries.isEmpty)
    }

    @Test func anIntegerIsADoubleToo() {
        let steps: Double = ada().value("checkout", "steps", default: 3)
        #expect(steps == 2)
        #expect(log.entries.isEmpty)
    }

    @Test func aFlagThatIsOffHasTheValueForAllUsers() {
        let ada = ada()
        #expect(!ada.isEnabled("closed") && ada.isEnabled("checkout"))
        #expect(ada.value("closed", "steps", default: 3) == 5)
        #expect(log.entries.isEmpty)
    }

    @Test func readingHasTheEffectsOfADecision() async {
        let ada = ada()
        _ = ada.value("checkout", "steps", default: 3)
        _ = ada.isEnabled("checkout")
        #expect(sent.impressions.count == 2)
        _ = ada.value("checkout", "steps", default: 3, options: .disableDecisionEvent)
        _ = ada.isEnabled("checkout", options: .disableDecisionEvent)
        #expect(sent.impressions.count == 2)
        #expect(await ada.isEnabled("checkout", within: .seconds(30)))
        #expect(await ada.value("checkout", "title", default: "", within: .seconds(30)) == "Pay")
        #expect(await ada.value("checkout", "layout", default: Layout.twoStep, within: .seconds(30)) == .onePage)
        #expect(sent.impressions.count == 5)
    }

    @Test(arguments: 1...3)
    func problemsGiveTheDefaultAndOneLogEntry(times: Int) {
        let ada = ada()
        for _ in 0..<times {
            #expect(ada.value("checkout", "missing", default: 3) == 3)
            #expect(ada.value("checkout", "title", default: 3) == 3)
            #expect(ada.value("checkout", "boost", default: 3) == 3)
            #expect(ada.value("checkout", "broken", default: Theme(color: "", columns: 1)).columns == 1)
            #expect(ada.value("checkout", "gone", default: Theme(color: "", columns: 1)).columns == 1)
            #expect(ada.value("unknown", "steps", default: 3) == 3)
            #expect(!ada.isEnabled("unknown"))
        }
        #expect(
            log.entries.map(\.message) == [
                #"flag "checkout": there is no variable "missing"; using the default given in code"#,
                #"flag "checkout": variable "title": its type is string, not Int; using the default given in code"#,
                #"flag "checkout": variable "boost": its type is double, not Int; using the default given in code"#,
                #"flag "checkout": variable "broken": $.color: expected a string, found a number; "#
                    + "using the default given in code; Foundation's types, such as URL, need its decoder: "
                    + "try JSONDecoder().decode(Theme.self, from: "
                    + #"Data(decision.variables.jsonBytes("broken") ?? []))"#,
                #"flag "checkout": there is no variable "gone"; using the default given in code"#,
                #"the datafile has no flag "unknown"; using the defaults given in code"#,
                #"the datafile has no flag "unknown"; it counts as off"#,
            ])
    }

    @Test func eachProblemOfAVariableIsLogged() {
        struct Link: Decodable { let color: [Int] }
        struct Price: Decodable { let columns: String }
        let ada = ada()
        for _ in 0..<2 {
            #expect(ada.value("checkout", "theme", default: Link(color: [])).color.isEmpty)
            #expect(ada.value("checkout", "theme", default: Price(columns: "")).columns.isEmpty)
            #expect(ada.value("checkout", "theme", default: 3) == 3)
        }
        let problems = ["expected an array, found a string", "expected a string, found a number", "not Int"]
        #expect(log.entries.count == problems.count)
        for (entry, problem) in zip(log.entries, problems) { #expect(entry.message.contains(problem)) }
    }

    @Test func theLackOfADatafileIsLoggedOnce() throws {
        let client = FlagClient(.quiet { $0.log = log })
        #expect(client.value("checkout", "steps", default: 3, for: User("ada")) == 3)
        #expect(client.value("checkout", "title", default: "Buy", for: User("ada")) == "Buy")
        #expect(!client.isEnabled("checkout", for: User("ada")))
        #expect(log.entries.count == 1)
        try client.update(to: Self.script.datafile)
        #expect(client.value("checkout", "steps", default: 3, for: User("ada")) == 2)
        #expect(client.value("checkout", "missing", default: 3, for: User("ada")) == 3)
        #expect(log.entries.count == 2)
    }

    @Test func decodingThrowsReadableErrors() throws {
        let variables = ada().decide("checkout").variables
        #expect(try variables.decode(Theme.self, "theme") == Theme(color: "red", columns: 4))
        #expect(throws: VariableError.unknown(variable: "gone")) { try variables.decode(Theme.self, "gone") }
        let error = #expect(throws: VariableError.self) { try variables.decode(Theme.self, "broken") }
        #expect(error.map { "\($0)" } == #"variable "broken": $.color: expected a string, found a number"#)
    }
}
