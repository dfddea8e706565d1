/// A receiver that refuses everything causes no loss.
@Suite(.timeLimit(.minutes(1))) struct RefusingReceiverTests {
    private func messages(_ setup: EventSetup, _ level: LogLevel) -> [String] {
        setup.log.entries.filter { $0.level == level }.map(\.message)
    }

    @Test(arguments: [400, 413, 422]) func allEventsAreKeptAndTheRefusalIsReportedOnce(status: Int) async throws {
        let statuses = Collected<Int>()
        let setup = EventSetup {
            $0.events.onMisconfiguration = { statuses.add($0) }
        } respond: { _ in
            HTTPResponse(status: status)
        }
        try setup.track(500)
        await setup.client.flush()
        #expect(setup.store.count == 500 && setup.client.lostEvents.total == 0)
        #expect(setup.transport.requests.count < 30 && statuses.all == [status])
        let errors = messages(setup, .error)
        // The tenth event starts another delivery, before the flush.
        #expect((1...2).contains(errors.count) && errors[0].contains("accepted none: status \(status)"))
        #expect(errors[0].contains("All events stay queued; next attempt in"))
        for _ in 0..<6 { await setup.client.flush() }
        #expect(setup.store.count == 500 && setup.transport.requests.count < 40, "one event is tried at a time")
        #expect(messages(setup, .error).count <= 4, "logged at powers of two")
        setup.transport.respond { _ in HTTPResponse(status: 204) }
        await setup.client.flush()
        #expect(setup.store.count == 0 && setup.client.lostEvents.total == 0)
        #expect(messages(setup, .info).contains { $0.hasSuffix("accepts events again") })
    }

    @Test func aReceiverThatRejectsEveryEventKeepsThemQueued() async throws {
        let setup = EventSetup(respond: { request in
            let count = try EventSetup.users(request).count
            let places = (0..<count).map { "{\"event\":\($0)}" }.joined(separator: ",")
            return HTTPResponse(status: 400, body: Array("{\"detail\":{\"invalids\":[\(places)]}}".utf8))
        })
        try setup.track(40)
        await setup.client.flush()
        #expect(setup.store.count == 40 && setup.transport.requests.count < 10)
    }

    @Test func invalidEventsInARowAreFound() async throws {
        let arrived = Collected<String>()
        let setup = EventSetup(respond: { request in
            let users = try EventSetup.users(request)
            guard !users.contains(where: { $0.count == 6 }) else { return HTTPResponse(status: 400) }
            for user in users { arrived.add(user) }
            return HTTPResponse(status: 204)
        })
        try setup.track(60)
        try await wait("all responses are processed") {
            setup.clock.advance(by: .seconds(1))
            return setup.store.count == 0
        }
        // "user 0" to "user 9" are refused.
        #expect(arrived.all.sorted() == (10..<60).map { "user \($0)" }.sorted())
        #expect(setup.client.lostEvents[.refused] == 10 && setup.client.lostEvents.total == 10)
    }

    @Test(arguments: [1, 3, 60]) func aRefusedProjectKeepsItsEventsWhileAnotherIsAccepted(
        count: Int
    ) async throws {
        var script = Script(.event("purchase"))
        let setup = EventSetup(script)
        setup.transport.respond { request in
            HTTPResponse(status: String(decoding: request.body, as: UTF8.self).contains("misspelled") ? 400 : 204)
        }
        for round in 1...4 {
            (script.projectID, script.revision) = ("misspelled", "2")
            try setup.client.update(to: script.datafile)
            try setup.track(count)
            await setup.client.flush()
            (script.projectID, script.revision) = ("good", "3")
            try setup.client.update(to: script.datafile)
            try setup.track(60)
            await setup.client.flush()
            #expect(setup.store.count == round * count && setup.client.lostEvents.total == 0)
        }
        setup.transport.respond { _ in HTTPResponse(status: 204) }
        try await wait("all arrive") {
            setup.clock.advance(by: .seconds(30))
            return setup.store.count == 0
        }
        #expect(setup.client.lostEvents.total == 0 && messages(setup, .error).count < 20)
    }

    @Test func oneInvalidEventDoesNotDelayLaterOnes() async throws {
        let setup = EventSetup {
            $0.events.interval = .zero
        } respond: { request in
            HTTPResponse(status: try EventSetup.users(request).contains("bad") ? 400 : 204)
        }
        try setup.client.user("bad").track("purchase")
        try await wait("it is refused") { setup.transport.requests.count == 1 }
        #expect(setup.store.count == 1, "no response has classified the event yet")
        try await wait("the next one arrives, and the bad one is given up") {
            if setup.transport.requests.count == 1 { try setup.client.user("good").track("purchase") }
            return setup.store.count == 0
        }
        #expect(setup.client.lostEvents.description == "1 refused")
    }

    @Test func logLinesNameHostCauseAndNextAttempt() async throws {
        let setup = EventSetup {
            $0.events.attempts = 1
            $0.events.endpoints.us = "https://user:secret@cdn.example.com:8443/in?key=secret"
        } respond: { _ in
            throw TransportError(.unreachable, "host cdn.example.com not found")
        }
        try setup.track(1)
        await setup.client.flush()
        #expect(
            messages(setup, .warning) == [
                "1 event: delivery attempt 1 failed: host cdn.example.com not found; next attempt in 0.2 s"
            ])
        setup.transport.respond { _ in HTTPResponse(status: 503, headers: ["Retry-After": "300"]) }
        await setup.client.flush()
        let cause = "cdn.example.com:8443 responded with status 503"
        #expect(messages(setup, .warning).last == "1 event: delivery attempt 2 failed: \(cause); next attempt in 5 min")
        setup.transport.respond { _ in HTTPResponse(status: 404) }
        await setup.client.flush()
        #expect(messages(setup, .error).last?.contains("secret") == false)
        await setup.client.close()
        #expect(messages(setup, .warning).last?.hasPrefix("closed with 1 event undelivered") == true)
    }
}
