// ThreadSanitizer ends a forked child that starts threads.
#if SQLite && os(Linux) && !THREAD_SANITIZER
    import TurnoutSQLite

    @Suite("A child process created by fork", .ownThread)
    struct ForkTests {
        private let directory = TemporaryDirectory()

        @Test("decides with new clients, although its parent has clients")
        func clientsOfParentAndChild() async {
            await #expect(processExitsWith: .success) { [directory = directory.path as String] in
                var environment = HostEnvironment()
                environment.storage = LazyStorage { SQLiteStorage.open(directory: directory, log: .silent) }
                HostEnvironment.standard.withLock { [environment] in $0 = environment }
                let client = OptimizelyClient(sdkKey: "parent", datafileHandler: ScriptedHandler())
                try client.start(datafile: ShopDatafile.data, doFetchDatafileBackground: false)
                let child = try #require(forked())
                if child == 0 { _exit(problems()) }
                waitForSuccess(of: child)
                withExtendedLifetime(client) {}
            }
        }
    }

    /// The failed checks in a child, as bits.
    private func problems() -> Int32 {
        let client = OptimizelyClient(sdkKey: "child", datafileHandler: ScriptedHandler())
        var problems: Int32 = 0
        if (try? client.start(datafile: ShopDatafile.data, doFetchDatafileBackground: false)) == nil { problems |= 1 }
        if (try? client.getVariationKey(experimentKey: "sticky", userId: "ada")) == nil { problems |= 2 }
        if (try? client.track(eventKey: "purchase", userId: "ada")) == nil { problems |= 4 }
        // Without a network the event stays, so closing takes the whole limit.
        let elapsed = ContinuousClock().measure { client.close(within: .seconds(rounds(1, thorough: 10))) }
        if elapsed > .seconds(30) { problems |= 8 }
        return problems
    }
#endif
