import TurnoutCommandIO
import TurnoutEngine

/// Compares the decisions of many users on all cores.
struct ImpactRun {
    private let projects: ProjectPair
    private let exampleLimit: Int
    private let profiles: StoredProfiles
    /// One for each worker, so that nothing is shared while users are counted.
    private var counts: [ImpactCount]
    private var progress = ProgressLine(of: "users", on: Terminal(.error))
    private let start = ContinuousClock.now
    /// The lines of the file that could not be read.
    private(set) var badLineCount = 0

    private static let usersPerWorker = 20_000

    init(_ projects: ProjectPair, profiles: StoredProfiles, exampleLimit: Int) {
        (self.projects, self.profiles, self.exampleLimit) = (projects, profiles, exampleLimit)
        counts = (0..<Workers.count).map { ImpactCount(projects.replica($0), exampleLimit: exampleLimit) }
    }

    /// Compares the decisions of all users.
    mutating func run(_ users: ImpactUsers) async throws(CommandError) -> ImpactCount {
        switch users {
        case .file(let name): try await count(usersIn: name)
        case .generated(let population, let count): try await self.count(population, count)
        }
        report(progress.clear())
        return counts.reduce(into: ImpactCount(projects, exampleLimit: exampleLimit)) { $0.add($1) }
    }

    private mutating func count(_ population: Population, _ count: Int) async throws(CommandError) {
        progress.total = count
        let profiles = profiles
        var done = 0
        while done < count {
            var work: [(ImpactCount, Range<Int>)] = []
            for worker in counts {
                let numbers = done..<min(done + Self.usersPerWorker, count)
                work.append((worker, numbers))
                done = numbers.upperBound
            }
            counts = []
            let blocks = await Workers.map(work) { worker, numbers in
                CountedUsers(population, numbers, worker, profiles)
            }
            counts = blocks.map(\.count)
            if let failure = blocks.lazy.compactMap(\.failure).first { throw failure }
            report(progress.update(done: done, after: .now - start))
        }
    }

    private mutating func count(usersIn name: String) async throws(CommandError) {
        var file = try LineFile(name)
        var (lineCount, byteCount) = (0, 0)
        let profiles = profiles
        while let lines = try file.next(after: lineCount) {
            let pieces = lines.piecesForWorkers
            // A remainder makes one piece more than there are workers.
            while counts.count < pieces.count {
                counts.append(ImpactCount(projects.replica(counts.count), exampleLimit: exampleLimit))
            }
            let work = zip(counts, pieces).map { ($0, $1) }
            let rest = counts[work.count...]
            let blocks = await Workers.map(work) { [byteCount] count, piece in
                CountedUsers(piece, byteCount, count, profiles)
            }
            counts = blocks.map(\.count) + rest
            for block in blocks {
                if !block.badLines.isEmpty { report(progress.clear()) }
                for line in block.badLines { report(line.report(in: file.name, after: lineCount)) }
                badLineCount += block.badLines.count
                lineCount += block.lineCount
                if let failure = block.failure { throw failure }
            }
            byteCount += lines.count
            let done = counts.reduce(0) { $0 + $1.users }
            progress.total = file.size.map { $0 / max(byteCount / max(done, 1), 1) }
            report(progress.update(done: done, after: .now - start))
        }
        report(BadLine.summary(badLineCount, of: lineCount))
    }

    private func report(_ text: String?) {
        if let text { StandardStream.error.put(text) }
    }
}

/// Users that one worker counted.
private struct CountedUsers: Sendable {
    let count: ImpactCount
    /// The lines of the file that they are from.
    private(set) var lineCount = 0
    private(set) var badLines: [BadLine] = []
    /// Why the store of assignments failed, and users are missing.
    let failure: CommandError?

    init(_ population: Population, _ numbers: Range<Int>, _ count: ImpactCount, _ profiles: StoredProfiles) {
        var count = count
        func add(_ user: (User, place: Int), _ profile: UserProfile) {
            count.add(user.0, profile: profile, place: user.place)
        }
        var lookup = ProfileLookup<(User, place: Int)>(in: profiles)
        for number in numbers {
            let user = population.user(number + 1)
            lookup.add((user, number), userID: user.id, add)
        }
        lookup.finish(add)
        (self.count, failure) = (count, lookup.failure)
    }

    /// Counts the users in a piece of lines.
    init(_ lines: ArraySlice<UInt8>, _ byteCount: Int, _ count: ImpactCount, _ profiles: StoredProfiles) {
        var (count, badLines) = (count, [BadLine]())
        func add(_ user: (User, place: Int), _ profile: UserProfile) {
            count.add(user.0, profile: profile, place: user.place)
        }
        var lookup = ProfileLookup<(User, place: Int)>(in: profiles)
        // Lines are ordered by their first bytes, because the number of the first line is not known yet.
        let place = byteCount + lines.startIndex
        lineCount = lines.forEachLine { number, line in
            do throws(JSONError) {
                let user = try User(parsing: line)
                lookup.add((user, place + number), userID: user.id, add)
            } catch {
                badLines.append(BadLine(number: number, error: error))
            }
        }
        lookup.finish(add)
        (self.count, self.badLines, failure) = (count, badLines, lookup.failure)
    }
}
