/// Assignments that are not in the file yet.
@Suite struct PendingProfilesTests {
    @Test func lookupsFindChangesThatAreNotInTheFile() throws {
        let directories = Directories()
        var options = SQLiteOptions()
        options.durability = .soon(within: .seconds(3_600))
        let storage = try SQLiteStorage(directory: directories.next(), options, log: .silent)
        let profiles = storage.profiles
        try profiles.save(["first": "a", "second": "a"], for: "ada")
        try storage.synchronize()
        try profiles.save(["second": "b"], for: "ada")
        #expect(try profiles.profile(of: "ada").assignments == ["first": "a", "second": "b"])
        try profiles.replace(with: ["third": "c"], for: "ada")
        try profiles.save(["fourth": "d"], for: "ada")
        for _ in 0..<2 {
            #expect(try profiles.profile(of: "ada").assignments == ["third": "c", "fourth": "d"])
            try storage.synchronize()
        }
    }
}

/// Pauses after failures of the file, apart from the rest of the journal's state.
@Suite struct WriteBackoffTests {
    private static let error = SQLiteError(code: 13, message: "database or disk is full", file: "")

    @Test func onlyTheFirstFailureAndTheFirstSuccessAreNews() {
        var backoff = WriteBackoff()
        let start = ContinuousClock.now
        var news = [backoff.succeeded()]
        news += [backoff.failed(Self.error, at: start), backoff.failed(Self.error, at: start)]
        #expect(backoff.error?.code == 13)
        news += [backoff.succeeded(), backoff.succeeded()]
        #expect(news == [false, true, false, true, false] && backoff.error == nil)
    }

    @Test func eachPauseIsTwiceAsLongAsThePreviousOne() {
        var backoff = WriteBackoff(random: MidpointRandomSource())
        var now = ContinuousClock.now
        #expect(backoff.remainder(at: now) == .zero)
        for pause in [50, 100, 200, 400, 800, 1_600, 3_200, 5_000, 5_000] {
            _ = backoff.failed(Self.error, at: now)
            #expect(backoff.remainder(at: now) == .milliseconds(pause))
            now += .milliseconds(pause) - .nanoseconds(1)
            #expect(backoff.errorDuringPause(at: now) != nil)
            #expect(backoff.remainder(at: now) == .milliseconds(1))
            now += .nanoseconds(1)
            #expect(backoff.errorDuringPause(at: now) == nil)
        }
    }
}
