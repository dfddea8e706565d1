import ServerTestSupport
import TestSupport
import TurnoutServer

/// Received events on their way to another intake.
@Suite struct EventForwardingTests {
    private static let address = "https://intake.example/v1/events"
    private static let reader = EventReader.forwarding(to: address).name
    private let log = ServerStorage.temporary().log
    private let transport = MemoryTransport()

    private func forwarding(_ change: (inout EventForwarding.Options) -> Void = { _ in }) -> EventForwarding {
        var options = EventForwarding.Options()
        change(&options)
        return EventForwarding(log, to: Self.address, over: transport, options, messages: .silent)
    }

    private func append(_ numbers: Range<Int>) async throws {
        for number in numbers { try await log.append(EventBodies.ten(number), receivedAt: EventBodies.time) }
    }

    private func uuids(_ bodies: [[UInt8]]) -> [String] {
        bodies.flatMap { body in
            let rows = EventBatchParser().rows(of: EventBodies.record(body))
            return (rows.exposures.map(\.event.uuid) + rows.conversions.map(\.event.uuid)).compactMap(rows.string)
        }
    }

    @Test func allEventsArriveOnce() async throws {
        try await append(0..<50)
        let forwarding = forwarding { $0.pageSize = 50_000 }
        while try await forwarding.forwardNext() {}
        let bodies = transport.requests.map(\.body)
        #expect(bodies.count < 50)
        #expect(uuids(bodies).count == 500)
        #expect(Set(uuids(bodies)).count == 500)
        #expect(transport.requests.allSatisfy { $0.url == Self.address && $0.method == .post })
        #expect(log.offset(of: Self.reader) == log.status.end)
        #expect(forwarding.counts.delivered == bodies.count)
    }

    @Test func bodiesAreSentAsTheyCameIfTheyAreNotJoined() async throws {
        try await append(0..<3)
        let forwarding = forwarding { ($0.mergesBodies, $0.concurrency) = (false, 1) }
        while try await forwarding.forwardNext() {}
        #expect(transport.requests.map(\.body) == (0..<3).map { EventBodies.ten($0) })
    }

    @Test(arguments: [500, 503, 429, 408, 302, 401, 403, 404, 405, 410, 451]) func failuresAreRepeated(_ status: Int)
        async throws
    {
        try await append(0..<3)
        transport.respond { _ in HTTPResponse(status: status) }
        let forwarding = forwarding()
        await #expect(throws: EventForwardingError.self) { try await forwarding.forwardNext() }
        #expect(log.offset(of: Self.reader) == 0)
        let failed = transport.requests.count
        transport.respond { _ in HTTPResponse(status: 204) }
        while try await forwarding.forwardNext() {}
        #expect(uuids(transport.requests.dropFirst(failed).map(\.body)).count == 30)
    }

    @Test(arguments: [400, 413, 422]) func refusedRequestsAreNotRepeated(_ status: Int) async throws {
        try await append(0..<3)
        transport.respond { _ in HTTPResponse(status: status) }
        let forwarding = forwarding()
        while try await forwarding.forwardNext() {}
        #expect(forwarding.counts.refused == transport.requests.count)
        #expect(log.offset(of: Self.reader) == log.status.end)
    }

    @Test func anOutageHoldsNothingUpAndEndsByItself() async throws {
        try await append(0..<1)
        let clock = ManualClock()
        let isDown = Locked(true)
        transport.respond { _ in
            if isDown.withLock({ $0 }) { throw TransportError(.unreachable, "connection refused") }
            return HTTPResponse(status: 200)
        }
        let forwarding = EventForwarding(
            log, to: Self.address, over: transport, clock: clock, random: .seeded(1), messages: .silent)
        let task = Task { await forwarding.run() }
        try await wait("the problem") { forwarding.problem != nil }
        #expect(forwarding.problem == "connection refused")
        isDown.withLock { $0 = false }
        try await wait("the delivery") {
            clock.advance(by: .seconds(10))
            return forwarding.counts.delivered > 0
        }
        task.cancel()
        clock.advance(by: .seconds(1_000))
        await task.value
    }

    /// A mistyped address or an expired credential loses no event, and is told once.
    @Test(arguments: [(404, "check the address"), (401, "check the credentials")])
    func aWrongAddressIsReportedOnce(status: Int, advice: String) async throws {
        try await append(0..<1)
        let (clock, messages) = (ManualClock(), MemoryLog())
        transport.respond { _ in HTTPResponse(status: status) }
        let forwarding = EventForwarding(
            log, to: Self.address, over: transport, clock: clock, random: .seeded(1), messages: messages)
        let task = Task { await forwarding.run() }
        try await wait("three failures") {
            clock.advance(by: .seconds(10))
            return forwarding.counts.failed >= 3
        }
        #expect(forwarding.problem?.contains("status \(status)") == true)
        #expect(forwarding.counts.refused == 0 && log.offset(of: Self.reader) == 0)
        #expect(messages.entries.count { $0.message.contains(advice) } == 1)
        task.cancel()
        clock.advance(by: .seconds(1_000))
        await task.value
    }

    @Test func aForwardingThatAnotherProcessEndsContinuesWhereItWas() async throws {
        try await append(0..<2)
        let forwarding = forwarding()
        while try await forwarding.forwardNext() {}
        try log.forget(reader: Self.reader)
        try await append(2..<3)
        while try await forwarding.forwardNext() {}
        #expect(uuids(transport.requests.map(\.body)).count == 30)
        #expect(log.readers == [Self.reader: log.status.end])
    }

    // MARK: Joining bodies

    private func merged(_ bodies: String...) -> [String] {
        EventBodyMerging().merged(bodies.map { Array($0.utf8) }).map { String(decoding: $0, as: UTF8.self) }
    }

    @Test func bodiesWithTheSameMembersAreJoined() {
        #expect(
            merged(#"{"a":1,"visitors":[{"x":1}]}"#, #"{"a":1,"visitors":[{"y":[]},2]}"#)
                == [#"{"a":1,"visitors":[{"x":1},{"y":[]},2]}"#])
        #expect(
            merged(#"{"visitors":[1],"a":[2]}"#, #"{"visitors":[3],"a":[2]}"#) == [#"{"visitors":[1,3],"a":[2]}"#])
    }

    @Test func otherBodiesAreSentAsTheyCame() {
        let different = [#"{"a":1,"visitors":[1]}"#, #"{"a":2,"visitors":[1]}"#]
        #expect(merged(different[0], different[1]) == different)
        for odd in [
            "{\"visitors\":[}", "{}", "{\"visitors\":[]}", "{\"visitors\":[1],\"visitors\":[2]}", "{\"visitors\":1}",
        ] {
            #expect(merged(different[0], odd, odd, different[0]) == [different[0], odd, odd, different[0]])
        }
    }

    @Test func joinedBodiesAreLimited() {
        var merging = EventBodyMerging()
        merging.maximumSize = 40
        let body = Array(#"{"visitors":[1234567890]}"#.utf8)
        #expect(merging.merged([body, body, body]).count == 2)
    }
}
