import TurnoutEngine

/// Compares the decisions of many users on all cores.
struct ImpactRun {
    private let projects: ProjectPair
    private let exampleLimit: Int
    private let profiles: ProfilesFile
    /// One for each worker, so that nothing is shared while users are counted.
    private var counts: [ImpactCount]
    private var progress = Progress(of: "users", on: Terminal(.error))
    private let start = ContinuousClock.now
    /// The lines of the file that could not be read.
    private(set) var badLineCount = 0

    private static let usersPerWorker = 20_000

    init(_ projects: ProjectPair, profiles: ProfilesFile, exampleLimit: Int) {
        (self.projects, self.profiles, self.exampleLimit) = (projects, profiles, exampleLimit)
        counts = (0..<Workers.count).map { ImpactCount(projects.replica($0), exampleLimit: exampleLimit) }
    }

    /// Compares the decisions of all users.
    mutating func run(_ users: ImpactUsers) async throws(CommandError) -> ImpactCount {
        switch users {
        case .file(let name): try await count(usersIn: name)
        case .generated(let population, let count): await self.count(population, count)
        }
        report(progress.clear())
        return counts.reduce(into: ImpactCount(projects, exampleLimit: exampleLimit)) { $0.add($1) }
    }

    private mutating func count(_ population: Population, _ count: Int) async {
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
            counts = await Workers.map(work) { worker, numbers in
                var worker = worker
                for number in numbers {
                    let user = population.user(number + 1)
                    worker.add(user, profile: profiles[user.id], place: number)
                }
                return worker
            }
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
                CountedLines(piece, byteCount, count, profiles)
            }
            counts = blocks.map(\.count) + rest
            for block in blocks {
                if !block.badLines.isEmpty { report(progress.clear()) }
                for line in block.badLines { report(line.report(in: file.name, after: lineCount)) }
                badLineCount += block.badLines.count
                lineCount += block.lineCount
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

/// A piece of lines whose users were counted.
private struct CountedLines: Sendable {
    var count: ImpactCount
    var lineCount = 0
    var badLines: [BadLine] = []

    init(_ lines: ArraySlice<UInt8>, _ byteCount: Int, _ count: ImpactCount, _ profiles: ProfilesFile) {
        self.count = count
        // Lines are ordered by their first bytes, because the number of the first line is not known yet.
        let place = byteCount + lines.startIndex
        lineCount = lines.forEachLine { number, line in
            do throws(JSONError) {
                let user = try User(parsing: line)
                self.count.add(user, profile: profiles[user.id], place: place + number)
            } catch {
                badLines.append(BadLine(number: number, error: error))
            }
        }
    }
}
