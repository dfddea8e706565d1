public import Testing
public import TurnoutClient

/// Checks that a wall clock fulfills its contract.
///
/// An implementation must return milliseconds since 1970, neither seconds nor nanoseconds: a number of 13 digits from
/// 2001 to 2286. It may be called from any thread.
public func checkWallClock<C: WallClock>(
    sourceLocation location: SourceLocation = #_sourceLocation, _ make: () async throws -> C
) async throws {
    let clock = try await make()
    let digits = await withTaskGroup(of: Int.self) { group in
        for _ in 0..<8 { group.addTask { clock.millisecondsSince1970().description.count } }
        return await group.reduce(into: Set()) { $0.insert($1) }
    }
    #expect(digits == [13], "the time is in milliseconds since 1970", sourceLocation: location)
}

/// Checks that a random source fulfills its contract.
///
/// An implementation must guarantee that all 64 bits are random, and that concurrent calls return equal numbers only by
/// a chance of one in trillions.
public func checkRandomSource<Source: RandomSource>(
    sourceLocation location: SourceLocation = #_sourceLocation, _ make: () async throws -> Source
) async throws {
    let source = try await make()
    let (tasks, each) = (8, 1_000)
    let numbers = await withTaskGroup(of: [UInt64].self) { group in
        for _ in 0..<tasks { group.addTask { (0..<each).map { _ in source.next() } } }
        return await group.reduce(into: []) { $0 += $1 }
    }
    #expect(Set(numbers).count == tasks * each, "no number repeats", sourceLocation: location)
    for bit in 0..<64 {
        let share = Double(numbers.filter { $0 >> bit & 1 == 1 }.count) / Double(numbers.count)
        // Nine standard deviations of a fair coin.
        #expect(abs(share - 0.5) < 0.05, "bit \(bit) is set in half of the numbers", sourceLocation: location)
    }
}

/// Checks that a log fulfills its contract.
///
/// An implementation must guarantee that a level is enabled if a less urgent one is, that entries may be written from
/// any thread, and that none is lost, interleaved or split, whatever its text.
///
/// - Parameters:
///   - location: Where failures are reported.
///   - make: Creates an empty log in which errors are enabled.
///   - entries: The contents of the log, one string per entry, oldest first. Default: nil, not checked.
/// - Throws: Unexpected errors of the implementation.
public func checkLog<L: Log>(
    sourceLocation location: SourceLocation = #_sourceLocation, _ make: () async throws -> L,
    entries: ((L) async throws -> [String])? = nil
) async throws {
    let log = try await make()
    let enabled = LogLevel.allCases.sorted().map { log.isEnabled($0) }
    #expect(
        enabled == enabled.filter { $0 } + enabled.filter { !$0 }, "a level is enabled if a less urgent one is",
        sourceLocation: location)
    let (tasks, each) = (8, 25)
    await withTaskGroup { group in
        for task in 0..<tasks {
            group.addTask { for number in 0..<each { log.write(.error, "<entry \(task) \(number)>") } }
        }
    }
    log.write(.error, "<first line\nerror: <second line")
    guard let entries else { return }
    let found = try await entries(log)
    #expect(found.count == tasks * each + 1, "every entry is one entry", sourceLocation: location)
    for task in 0..<tasks {
        let own = found.filter { $0.contains("<entry \(task) ") }
        #expect(
            own.count == each && zip(own, 0..<each).allSatisfy { $0.contains("<entry \(task) \($1)>") },
            "the entries of each task are whole and in order", sourceLocation: location)
    }
}

/// Checks that a clock fulfills its contract.
///
/// An implementation must guarantee that
/// - time never goes back;
/// - a sleep never ends before its deadline, even when many tasks sleep at once;
/// - a sleep until a past deadline returns at once;
/// - a sleep ends with `CancellationError` when its task is canceled, before or during it.
///
/// - Parameters:
///   - sourceLocation: Where failures are reported.
///   - make: Creates a clock.
///   - advance: Advances the time of manual clocks. Called repeatedly. Default: does nothing.
/// - Throws: Unexpected errors of the implementation.
public func checkClock<C: Clock>(
    sourceLocation: SourceLocation = #_sourceLocation, _ make: () async throws -> C,
    advance: @escaping @Sendable (C, Duration) async -> Void = { _, _ in }
) async throws where C.Duration == Duration {
    let clock = try await make()
    let times = Task {
        while !Task.isCancelled {
            await advance(clock, .milliseconds(1))
            await Task.yield()
        }
    }
    defer { times.cancel() }
    try await checkSleeping(on: clock, sourceLocation)
    await checkCancellation(on: clock, sourceLocation)
}

private func checkSleeping<C: Clock>(
    on clock: C, _ location: SourceLocation
) async throws where C.Duration == Duration {
    let before = clock.now
    try await clock.sleep(until: before, tolerance: nil)
    #expect(clock.now >= before, "time never goes back", sourceLocation: location)
    try await withThrowingTaskGroup { group in
        for number in 0..<16 {
            group.addTask {
                let deadline = clock.now.advanced(by: .milliseconds(1 + number % 4))
                try await clock.sleep(until: deadline, tolerance: nil)
                #expect(clock.now >= deadline, "a sleep does not end early", sourceLocation: location)
            }
        }
        try await group.waitForAll()
    }
    #expect(clock.now > before, "time passes", sourceLocation: location)
}

private func checkCancellation<C: Clock>(on clock: C, _ location: SourceLocation) async where C.Duration == Duration {
    for cancelsAtOnce in [true, false] {
        let sleeper = Task { try await clock.sleep(until: clock.now.advanced(by: .seconds(1_000_000)), tolerance: nil) }
        if !cancelsAtOnce { for _ in 0..<20 { await Task.yield() } }
        sleeper.cancel()
        await #expect(throws: CancellationError.self, "a canceled sleep ends at once", sourceLocation: location) {
            try await sleeper.value
        }
    }
}
