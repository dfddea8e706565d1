#if os(Linux)
    @Suite("A process without file descriptors", .ownThread)
    struct DescriptorTests {
        @Test("polls nevertheless")
        func polling() async {
            await #expect(processExitsWith: .success) {
                takeAllDescriptors()
                HostEnvironment.standard.withLock { $0 = HostEnvironment() }
                let handler = PollingTests.CountingHandler()
                handler.minimumPollingInterval = 1
                let client = OptimizelyClient(sdkKey: "key", datafileHandler: handler, periodicDownloadInterval: 1)
                try client.start(datafile: emptyDatafile(revision: "0"))
                #expect(holdsSoon { handler.downloadCount >= 3 })
                #expect(client.createUserContext(userId: "ada").decide(key: "none").ruleKey == nil)
            }
        }
    }
#endif
