#if SQLite
    import TestSupport
    import Testing
    import TurnoutSQLite

    @Suite struct FlushSignalTests {
        private let signal = FlushSignal()

        @Test func oneOfManyCallersStartsTheThread() async {
            let claims = await withTaskGroup(of: Bool.self) { group in
                for _ in 0..<16 { group.addTask { [signal] in signal.claimThread() } }
                return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
            }
            #expect(claims == 1)
            signal.giveUpThread()
            #expect(signal.claimThread())
        }

        @Test func aSignalBeforeTheWaitIsNotLost() async throws {
            signal.signal()
            let isSignaled = try await blocking { [signal] () -> Bool in signal.wait() }
            #expect(isSignaled)
            signal.signal()
            let start = ContinuousClock.now
            try await blocking { [signal] () -> Void in signal.wait(.seconds(600)) }
            #expect(start.duration(to: .now) < .seconds(60), "a pause ends with the next signal")
        }

        /// In real time, which takes a second.
        @Test func aThreadWithoutSignalsEndsAndIsReplaced() async throws {
            #expect(signal.claimThread())
            let isSignaled = try await blocking { [signal] () -> Bool in signal.wait() }
            #expect(!isSignaled)
            #expect(signal.claimThread())
        }
    }
#endif
