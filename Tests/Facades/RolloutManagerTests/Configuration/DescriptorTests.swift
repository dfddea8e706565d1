#if os(Linux)
    /// libdispatch ends a process that starts a timer without a file descriptor.
    @Suite struct DescriptorTests {
        @Test func sourcesRefreshWithoutFileDescriptors() async {
            await #expect(processExitsWith: .success) {
                takeAllDescriptors()
                let transport = MemoryTransport { _ in HTTPResponse(status: 200, body: Array("{}".utf8)) }
                var options = RolloutSourceOptions()
                options.minimumInterval = .milliseconds(50)
                let source = RolloutConfigurationSource(
                    url: "https://example.com/rollout.json", transport: transport, cache: .memory, options: options)
                source.startRefreshing(every: .milliseconds(50))
                #expect(holdsSoon { transport.requests.count >= 3 })
                withExtendedLifetime(source) {}
            }
        }
    }
#endif
