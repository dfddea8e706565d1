#if os(Linux)
    import Optimizely

    /// libdispatch ends a process that starts a timer without a file descriptor.
    @Suite struct DescriptorTests {
        @Test func datafileManagersPollWithoutFileDescriptors() async {
            await #expect(processExitsWith: .success) {
                takeAllDescriptors()
                let manager = try Self.manager(interval: 0.05)
                #expect(holdsSoon { manager.setup.servers.downloads.count >= 3 })
            }
        }

        @Test func failedDownloadsAreRetriedWithoutFileDescriptors() async {
            await #expect(processExitsWith: .success) {
                takeAllDescriptors()
                let manager = try Self.manager(interval: 0)
                #expect(holdsSoon { manager.setup.servers.downloads.count >= 3 })
            }
        }

        private static func manager(interval: Double) throws -> (setup: TestSetup, manager: OPTLYDatafileManagerDefault)
        {
            var setup = TestSetup()
            setup.environment.clock = ContinuousClock()
            setup.servers.fail(interval == 0 ? 500 : 304)
            let manager = try required(
                setup.make {
                    OPTLYDatafileManagerDefault {
                        $0?.datafileConfig = OPTLYDatafileConfig(projectId: nil, withSDKKey: "key")
                        $0?.datafileFetchInterval = interval
                        $0?.minimumFetchInterval = 0.05
                        $0?.logger = setup.logger
                    }
                })
            return (setup, manager)
        }
    }
#endif
