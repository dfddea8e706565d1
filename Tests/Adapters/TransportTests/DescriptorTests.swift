#if os(Linux)
    /// libdispatch ends a process that starts a timer without a file descriptor.
    @Suite(.overEachNetwork, .blocking) struct DescriptorTests {
        @Test func requestsWithoutFileDescriptorsFail() async {
            await #expect(processExitsWith: .success) { [network = Network.current as Network] in
                takeAllDescriptors()
                await expectNoResponse(
                    .unreachable, to: HTTPRequest(.get, "http://127.0.0.1:1/"), over: network.insecure)
            }
        }
    }
#endif
