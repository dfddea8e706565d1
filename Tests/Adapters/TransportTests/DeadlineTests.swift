/// Deadlines. In separate processes: here, other tests keep all threads busy, and a task may be resumed long after
/// its request has ended.
@Suite(.overEachNetwork, .blocking) struct DeadlineTests {
    @Test func keepsTheContract() async {
        await #expect(processExitsWith: .success) { [network = Network.current as Network] in
            let server = try LoopbackServer()
            try await checkTransport(peer: server.address, unreachable: "http://127.0.0.1:1/") { network.insecure }
        }
    }

    @Test func keepsTheContractForStreams() async {
        await #expect(processExitsWith: .success) { [network = Network.current as Network] in
            let server = try LoopbackServer()
            try await checkStreamingTransport(peer: server.address, unreachable: "http://127.0.0.1:1/") {
                network.insecure
            }
        }
    }

    @Test func aSlowResponseEndsAtTheDeadline() async {
        await #expect(processExitsWith: .success) { [network = Network.current as Network] in
            let server = try LoopbackServer()
            // Each pause is short, but in total they take 100 seconds.
            let drip = Reply.body(Array(repeating: 0x20, count: 2_000)).dripping(every: .milliseconds(50))
            try server.always(drip, to: "/page")
            let request = HTTPRequest(.get, server.address + "/page", deadline: .milliseconds(500))
            let elapsed = await ContinuousClock().measure {
                await expectNoResponse(.deadlineExceeded, to: request, over: network.insecure)
            }
            #expect(elapsed >= .milliseconds(500))
            #expect(elapsed < .seconds(50))
            try await server.wait { $0.openConnections == 0 }
        }
    }
}
