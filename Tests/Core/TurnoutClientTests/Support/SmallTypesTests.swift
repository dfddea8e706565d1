import Foundation

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

    // MARK: Byte key
    // Keys are equal if their bytes are.

    @Test func equivalentSpellingsAreDistinct() {
        #expect("\u{E9}" == "e\u{301}")
        #expect(ByteKey("\u{E9}") != ByteKey("e\u{301}"))
        #expect(ByteKey("\u{212A}") != ByteKey("K"))
        #expect(ByteKey("e\u{301}") == ByteKey(["e", "\u{301}"].joined()))
    }

    /// Every byte of a text of any length is significant, and so is the length.
    @Test func everyByteIsCompared() {
        var texts: Set<ByteKey> = []
        var fingerprints: Set<UInt64> = []
        for length in 0...40 {
            for place in 0..<max(1, length) {
                for letter in ["b", "\0"] {
                    var bytes = [UInt8](repeating: UInt8(ascii: "a"), count: length)
                    if place < length { bytes[place] = letter.utf8.first ?? 0 }
                    let text = ByteKey(String(decoding: bytes, as: UTF8.self))
                    texts.insert(text)
                    fingerprints.insert(text.fingerprint)
                    #expect(text == ByteKey(String(decoding: bytes, as: UTF8.self)))
                }
            }
        }
        #expect(texts.count == 1 + 2 * 820 && fingerprints.count == texts.count)
    }

    @Test func idsAreSpreadOverAllShards() {
        let shards = Sharded(capacity: 16) { _ in 0 }
        for number in 0..<16_000 {
            shards.withLock(of: ByteKey("user \(number) of shop 17").fingerprint) { $0 += 1 }
        }
        #expect(shards.shards.allSatisfy { 800...1_200 ~= $0.state.withLock { $0 } })
    }

    @Test func listsHaveRoomForEachSpelling() {
        let texts = ["\u{E9}", "a", "e\u{301}", "a", "\u{E9}", "b"]
        let lists = texts.bySpelling.map { $0.map { Array($0.unicodeScalars) } }
        #expect(lists == [["\u{E9}", "a", "b"], ["e\u{301}"]].map { $0.map { Array($0.unicodeScalars) } })
        #expect([String]().bySpelling.isEmpty)
    }

    // MARK: Description
    // Descriptions contain no personal data unless they are asked for it.

    private var ada: UserContext {
        FlagClient.scripted(.always("checkout", "a"), .event("purchase")).user(
            "ada@example.com", attributes: ["country": "secret", "orders": 12])
    }

    @Test func nestedUsersAreNotRevealed() {
        struct Request { var user: UserContext }
        for text in ["\([ada])", "\(Optional(ada.user) as Any)", "\(Request(user: ada))", "\(ada.attributes)"] {
            #expect(!text.contains("ada@") && !text.contains("secret"), "\(text)")
        }
    }

    @Test func notificationsSayWhatHappened() async throws {
        let ada = ada
        let received = Collected<ClientNotification>()
        ada.client.addListener { received.add($0) }
        _ = ada.decide("checkout")
        try ada.track("purchase")
        var newer = Script(.always("checkout", "a"))
        newer.revision = "2"
        try ada.client.update(to: newer.datafile)
        await ada.client.close()
        let texts = received.all.map { "\($0)" }
        #expect(
            texts == [
                "impression of checkout: a", "decision \(ada.decide("checkout"))", "conversion purchase",
                "datafile change to revision 2",
            ])
        #expect(!texts.contains { $0.contains("ada") })
        #expect(received.all.first?.description(includingPersonalData: true).contains("ada@example.com") == true)
    }

    // MARK: File fingerprint

    @Test func aChangeOfAFileChangesItsFingerprint() throws {
        let directory = TemporaryDirectory(isCreated: true)
        let path = directory.path + "/flags.yaml"
        let missing = FileFingerprint(of: path)
        #expect(missing.node == 0)
        try Data("one".utf8).write(to: directory.url.appending(path: "flags.yaml"))
        let first = FileFingerprint(of: path)
        #expect(first != missing)
        #expect(first == FileFingerprint(of: path))
        try Data("three".utf8).write(to: directory.url.appending(path: "flags.yaml"))
        #expect(FileFingerprint(of: path) != first)
    }

    /// Contents of the same size, written in place by a program that restores the time.
    @Test func aTimeThatWasSetBackHidesNothing() throws {
        let directory = TemporaryDirectory(isCreated: true)
        let path = directory.path + "/flags.yaml"
        try Data("one".utf8).write(to: URL(filePath: path))
        let first = FileFingerprint(of: path)
        let date = try FileManager.default.attributesOfItem(atPath: path)[.modificationDate]
        let file = try FileHandle(forWritingTo: URL(filePath: path))
        try file.write(contentsOf: Data("two".utf8))
        try file.close()
        try FileManager.default.setAttributes([.modificationDate: try #require(date)], ofItemAtPath: path)
        #expect(FileFingerprint(of: path) != first)
    }

    // MARK: Hostile user ID
    // User ids whose comparison as `String` takes quadratic time.

    private static func userID(_ size: Int) -> String { "e" + String(repeating: "\u{301}\u{323}", count: size / 4) }

    /// Every decision looks its user up in the table of forced variations once that is not empty.
    @Test func forcedVariationsAreLookedUpInLinearTime() throws {
        let client = FlagClient.scripted(Script(.split("a", between: "1", "2")), configuration: .quiet())
        let experiment = try #require(client.project?.experiments.first?.key)
        #expect(client.forceVariation("1", inExperiment: experiment, forUser: "ada"))
        try expectLinearTime("forced variations") { size in
            let user = client.user(Self.userID(size))
            return { user.decide("a").isEnabled ? 1 : 0 }
        }
    }

    // MARK: LRU cache
    // The cache holds the most recently used values while they are fresh.

    /// Compares the cache with a list that is searched linearly.
    @Test(arguments: 0..<20) func behavesLikeASimpleList(seed: UInt64) {
        let random = SeededRandomSource(seed: seed)
        let capacity = Int(random.next() % 8)
        var cache = LRUCache<Int, Int>(capacity: capacity, lifetime: .seconds(50))
        var list: [(key: Int, value: Int, savedAt: Int)] = []
        for now in 0..<1_000 {
            let key = Int(random.next() % 12)
            let place = list.firstIndex { $0.key == key }
            switch random.next() % 8 {
            case 0:
                cache.remove(key)
                if let place { list.remove(at: place) }
            case 1, 2, 3:
                cache.save(now, for: key, at: .seconds(now))
                if let place { list.remove(at: place) } else if list.count == capacity { _ = list.popLast() }
                if capacity > 0 { list.insert((key, now, now), at: 0) }
            default:
                let entry = place.map { list.remove(at: $0) }
                let isFresh = entry.map { now - $0.savedAt < 50 } ?? false
                #expect(cache.value(for: key, at: .seconds(now)) == (isFresh ? entry?.value : nil), "seed \(seed)")
                if let entry, isFresh { list.insert(entry, at: 0) }
            }
            #expect(cache.count == list.count, "seed \(seed)")
        }
    }
}
