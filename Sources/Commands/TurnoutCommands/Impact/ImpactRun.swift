import TurnoutClient
import TurnoutCommandIO
import TurnoutEngine

/// Compares the decisions of many users on all cores.
struct ImpactRun {
    /// The count of one worker, so that nothing is shared while users are counted.
    private final class Worker: Sendable {
        let count: Locked<ImpactCount>

        init(_ count: ImpactCount) { self.count = Locked(count) }
    }

    private let profiles: StoredProfiles
    private let workers: [Worker]
    private let none: ImpactCount

    private static let usersPerWorker = 20_000

    init(_ projects: ProjectPair, profiles: StoredProfiles, exampleLimit: Int) {
        self.profiles = profiles
        none = ImpactCount(projects, exampleLimit: exampleLimit)
        workers = (0..<Workers.count).map { Worker(ImpactCount(projects.replica($0), exampleLimit: exampleLimit)) }
    }

    /// Compares the decisions of all users. Also returns the number of lines that could not be read.
    func run(_ users: ImpactUsers) async throws(CommandError) -> (count: ImpactCount, badLineCount: Int) {
        let badLineCount =
            switch users {
            case .file(let name): try await count(usersIn: name)
            case .generated(let population, let count): try await self.count(population, count)
            }
        let sum = workers.reduce(into: none) { sum, worker in worker.count.withLock { sum.add($0) } }
        return (sum, badLineCount)
    }

    private func count(_ population: Population, _ count: Int) async throws(CommandError) -> Int {
        var progress = ProgressLine(of: "users", total: count, on: Terminal(.error))
        let (profiles, start) = (profiles, ContinuousClock.now)
        var done = 0
        while done < count {
            let work = workers.enumerated().map { index, worker in
                let first = min(done + index * Self.usersPerWorker, count)
                return (worker, first..<min(first + Self.usersPerWorker, count))
            }
            let failures = await Workers.map(work) { worker, numbers in
                worker.count.withLock { Self.count(population, numbers, into: &$0, profiles) }
            }
            if let failure = failures.lazy.compactMap(\.self).first { throw failure }
            done = work.last?.1.upperBound ?? count
            if let text = progress.update(done: done, after: .now - start) { StandardStream.error.put(text) }
        }
        if let text = progress.clear() { StandardStream.error.put(text) }
        return 0
    }

    private static func count(
        _ population: Population, _ numbers: Range<Int>, into count: inout ImpactCount, _ profiles: StoredProfiles
    ) -> CommandError? {
        func add(_ user: (User, place: Int), _ profile: UserProfile) {
            count.add(user.0, profile: profile, place: user.place)
        }
        var lookup = ProfileLookup<(User, place: Int)>(in: profiles)
        for number in numbers {
            let user = population.user(number + 1)
            lookup.add((user, number), userID: user.id, add)
        }
        lookup.finish(add)
        return lookup.failure
    }

    private func count(usersIn name: String) async throws(CommandError) -> Int {
        var run = try LineRun(name, of: "users")
        let (workers, profiles) = (workers, profiles)
        try await run.run { piece in
            // Lines are ordered by their first bytes, because the number of the first line is not known yet.
            let place = piece.offset + piece.lines.startIndex
            let read = workers[piece.number % workers.count].count.withLock { count in
                piece.forEachUser(with: profiles) { user, number, profile in
                    count.add(user, profile: profile, place: place + number)
                }
            }
            return (read, ())
        } _: { _, _ in
        }
        return run.badLineCount
    }
}
