#if os(Linux)
    import Foundation

    /// libdispatch ends the process if no file descriptor is left for its first timer.
    @Suite struct SystemTimerTests {
        @Test func clientsSurviveTheLossOfFileDescriptors() async {
            await #expect(processExitsWith: .success) {
                let client = sendingClient(.silent)
                takeAllDescriptors()
                try await decideAndPause(client)
            }
        }

        @Test func clientsCreatedWithoutFileDescriptorsDecideAndLogIt() async {
            await #expect(processExitsWith: .success) {
                takeAllDescriptors()
                let log = MemoryLog()
                let client = sendingClient(log)
                try await decideAndPause(client)
                #expect(log.entries.contains { $0.level == .error && $0.message.contains("file descriptors") })
            }
        }

        /// libdispatch opens its descriptors on other threads, after the client was created.
        @Test(arguments: 0..<8) func clientsWithFewFileDescriptorsSurvive(_ count: Int) async {
            await #expect(processExitsWith: .success) { [count = count as Int] in
                leaveDescriptors(count)
                let client = sendingClient(.silent)
                takeAllDescriptors()
                try await decideAndPause(client)
            }
        }
    }

    /// A client whose first event starts a timer.
    private func sendingClient(_ log: any Log) -> FlagClient {
        var configuration = ClientConfiguration()
        configuration.log = log
        configuration.transport = MemoryTransport { _ in HTTPResponse(status: 204) }
        configuration.events.interval = .milliseconds(20)
        return FlagClient.scripted(Script(.split("a", between: "1", "2")), configuration: configuration)
    }

    private func decideAndPause(_ client: FlagClient) async throws {
        #expect(client.user("ada").decide("a").isEnabled)
        // The timer of the interval, and the deadline of a call.
        await client.flush(within: .milliseconds(200))
        _ = await client.user("ada").decide("a", within: .milliseconds(10))
        await client.close(within: .milliseconds(200))
    }
#endif
