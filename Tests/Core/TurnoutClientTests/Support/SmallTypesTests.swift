/// Clocks, random numbers and logs.
@Suite struct SmallTypesTests {
    /// The reference values of SplitMix64 for the seed 1234567.
    @Test func seededNumbersAreSplitMix64() {
        let random = SeededRandomSource(seed: 1_234_567)
        let expected: [UInt64] = [
            6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423,
            4_593_380_528_125_082_431, 16_408_922_859_458_223_821,
        ]
        #expect(expected.map { _ in random.next() } == expected)
    }

    @Test func messagesAreBuiltOnlyIfTheLevelIsEnabled() {
        let log = MemoryLog(level: .warning)
        let made = Collected<Int>()
        func text(_ number: Int) -> String {
            made.add(number)
            return "entry \(number)"
        }
        for (number, level) in LogLevel.allCases.enumerated() { log(level, text(number)) }
        #expect(made.all == [0, 1])
        #expect(log.entries.map(\.message) == ["entry 0", "entry 1"])
        #expect(log.entries.map(\.level) == [.error, .warning])
    }

    @Test func logsInMemoryAreBounded() {
        let log = MemoryLog(limit: 10)
        for number in 0..<1_000 { log.write(.info, "\(number)") }
        #expect(log.entries.map(\.message) == (990..<1_000).map(String.init))
    }

    @Test func levelsAreOrderedByUrgency() {
        #expect(LogLevel.allCases.sorted() == [.error, .warning, .info, .debug])
        #expect(StandardErrorLog(level: .info).isEnabled(.warning))
        #expect(!StandardErrorLog().isEnabled(.info))
        #expect(!SilentLog().isEnabled(.error))
    }

    @Test func transportErrorsCompareByKind() {
        #expect(TransportError(.unreachable, "x").code == .unreachable)
        #expect(TransportError.Code.deadlineExceeded != .badAddress)
        #expect("\(TransportError(.tooLarge, "4 GB"))" == "4 GB")
    }

    @Test func headersOfResponsesAreInLowerCase() {
        let response = HTTPResponse(status: 429, headers: ["Retry-After": "7"])
        #expect(response.headers == ["retry-after": "7"])
        #expect(!response.isSuccess)
    }

    @Test func firstReplicaIsReplacedLast() {
        let datafiles = Striped<MemoryLog>()
        let new = MemoryLog()
        var order: [Int] = []
        datafiles.replace { group in
            #expect(datafiles[0] == nil && order.allSatisfy { datafiles[$0] === new })
            order.append(group)
            return new
        }
        #expect(order.last == 0 && order.count > 1 && datafiles[0] === new)
    }
}
