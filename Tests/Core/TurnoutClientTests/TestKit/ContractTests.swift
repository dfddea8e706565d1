/// The client's own implementations fulfill the contracts for adapters.
@Suite struct ContractTests {
    @Test func profilesInMemoryKeepTheContract() async throws {
        try await checkProfileStore(underEveryPolicy: true) { MemoryProfileStore() }
    }

    @Test func eventsInMemoryKeepTheContract() async throws {
        try await checkEventStore(limit: 500) { MemoryEventStore(limit: 500) }
    }

    @Test func recordedEventsKeepTheContract() async throws {
        try await checkEventStore { RecordedEvents() }
    }

    @Test func datafilesInMemoryKeepTheContract() async throws {
        try await checkDatafileSource {
            MemoryDatafileSource()
        } publish: {
            $0.publish($1)
        } breakDown: {
            $0.fail(with: TestError())
        }
    }

    @Test func predictionsInMemoryKeepTheContract() async throws {
        try await checkPredictionSource {
            MemoryPredictionSource()
        } predict: { source, variationID, experimentID in
            source.predict(variationID, inExperiment: experimentID)
        }
    }

    @Test func segmentsInMemoryKeepTheContract() async throws {
        try await checkSegmentSource {
            MemorySegmentSource()
        } put: { source, userID, segments in
            source.put(userID, into: segments)
        }
    }

    @Test func transportsInMemoryKeepTheContract() async throws {
        try await checkTransport(peer: "memory://peer") { MemoryTransport { try await EchoPeer.response(to: $0) } }
        try await checkStreamingTransport(peer: "memory://peer") {
            let transport = MemoryTransport { try await EchoPeer.response(to: $0) }
            transport.respondToStreams { try await EchoPeer.streamedResponse(to: $0) }
            return transport
        }
    }

    @Test func clocksKeepTheContract() async throws {
        try await checkClock { ContinuousClock() }
        try await checkClock { SuspendingClock() }
        try await checkClock {
            ManualClock()
        } advance: { clock, duration in
            clock.advance(by: duration)
        }
    }

    @Test func wallClocksKeepTheContract() async throws {
        try await checkWallClock { SystemWallClock() }
        try await checkWallClock { FixedWallClock(1_767_225_600_123) }
    }

    @Test func randomNumbersKeepTheContract() async throws {
        try await checkRandomSource { SystemRandomSource() }
        try await checkRandomSource { SeededRandomSource(seed: 1) }
    }

    @Test func logsKeepTheContract() async throws {
        try await checkLog {
            MemoryLog()
        } entries: { log in
            log.entries.map(\.message)
        }
        try await checkLog { SilentLog() }
    }
}
