/// Segments are fetched on request, cached, and used to evaluate audiences.
@Suite struct SegmentTests {
    static let datafile = Array(
        #"""
        {"version": "4", "accountId": "A", "projectId": "P", "revision": "1", "anonymizeIP": true, "groups": [],
         "audiences": [], "events": [], "attributes": [],
         "typedAudiences": [{"id": "9", "name": "gold", "conditions": ["or",
          {"type": "third_party_dimension", "name": "odp.audiences", "match": "qualified", "value": "gold"}]}],
         "featureFlags": [{"id": "1", "key": "flag", "experimentIds": [], "rolloutId": "2", "variables": []}],
         "experiments": [], "rollouts": [{"id": "2", "experiments": [{"id": "3", "key": "rule", "layerId": "2",
          "status": "Running", "audienceIds": ["9"], "forcedVariations": {},
          "trafficAllocation": [{"entityId": "4", "endOfRange": 10000}],
          "variations": [{"id": "4", "key": "on", "featureEnabled": true}]}]}]}
        """#.utf8)

    private func client(
        _ source: MemorySegmentSource, _ change: (inout ClientConfiguration) -> Void = { _ in }
    ) throws -> FlagClient {
        try FlagClient(
            datafile: Self.datafile,
            .quiet {
                $0.segments = source
                change(&$0)
            })
    }

    @Test func fetchedSegmentsDecideAudiences() async throws {
        let client = try client(MemorySegmentSource(["ada": ["gold", "other"]]))
        var ada = client.user("ada")
        #expect(!ada.decide("flag").isEnabled)
        try await ada.fetchSegments()
        #expect(ada.segments == ["gold"])
        #expect(ada.decide("flag").isEnabled)
        ada.segments = []
        #expect(!ada.decide("flag").isEnabled)
    }

    /// A source that returns more segments than were requested.
    private struct OverreportingSource: SegmentSource {
        func segments(of userID: String, among candidates: [String]) async throws -> [String] {
            candidates + candidates + (0..<1_000).map { "other \($0)" }
        }
    }

    @Test func onlySegmentsOfAudiencesAreKept() async throws {
        let client = try FlagClient(datafile: Self.datafile, .quiet { $0.segments = OverreportingSource() })
        for _ in 1...2 { #expect(try await client.segments(of: "ada") == ["gold"]) }
    }

    @Test func segmentsAreCached() async throws {
        let (source, clock) = (MemorySegmentSource(["ada": ["gold"]]), ManualClock())
        let client = try client(source) { $0.clock = clock }
        for (seconds, count) in [(0, 1), (599, 1), (1, 2)] {
            clock.advance(by: .seconds(seconds))
            #expect(try await client.segments(of: "ada") == ["gold"])
            #expect(source.requestedUserIDs.count == count)
        }
        #expect(try await client.segments(of: "ada", options: .ignoreCache) == ["gold"])
        #expect(source.requestedUserIDs.count == 3)
        #expect(try await client.segments(of: "bob", options: .resetCache) == [])
        #expect(try await client.segments(of: "bob") == [])
        #expect(try await client.segments(of: "ada") == ["gold"])
        #expect(source.requestedUserIDs == ["ada", "ada", "ada", "bob", "ada"])
    }

    @Test func cachedSegmentsDoNotDependOnTheirOrder() async throws {
        func datafile(_ segments: [String], revision: Int) -> [UInt8] {
            let conditions = segments.map {
                #"{"type": "third_party_dimension", "name": "odp.audiences", "match": "qualified", "value": "\#($0)"}"#
            }
            let text = String(decoding: Self.datafile, as: UTF8.self)
                .replacing(#""revision": "1""#, with: #""revision": "\#(revision)""#)
                .replacing(#"["or","#, with: #"["or", "# + conditions.joined(separator: ", ") + ",")
            return Array(text.utf8)
        }
        let source = MemorySegmentSource(["ada": ["silver"]])
        let client = try client(source)
        let datafiles = [(["silver", "tin"], 1), (["tin", "silver"], 1), (["silver"], 2)]
        for (number, (segments, count)) in datafiles.enumerated() {
            try client.update(to: datafile(segments, revision: 2 + number))
            #expect(try await client.segments(of: "ada") == ["silver"])
            #expect(source.requestedUserIDs.count == count)
        }
    }

    @Test func failuresChangeNothing() async throws {
        let source = MemorySegmentSource(["ada": ["gold"]])
        var ada = try client(source).user("ada")
        ada.segments = ["by hand"]
        source.fail(with: TestError())
        do {
            try await ada.fetchSegments()
            Issue.record("the source has failed")
        } catch { #expect("\(error)" == "segments could not be fetched: TestError()") }
        #expect(ada.segments == ["by hand"])
        source.fail(with: nil)
        try await ada.fetchSegments()
        #expect(ada.segments == ["gold"])
    }

    @Test func noRequestIsMadeWithoutNeed() async throws {
        let source = MemorySegmentSource(["ada": ["gold"]])
        let client = FlagClient.scripted(.always("flag", "on"), configuration: .quiet { $0.segments = source })
        #expect(try await client.segments(of: "ada").isEmpty)
        #expect(source.requestedUserIDs.isEmpty)
        let alone = try FlagClient(datafile: Self.datafile, .quiet())
        await #expect(throws: SegmentError.self) { try await alone.segments(of: "ada") }
    }
}
