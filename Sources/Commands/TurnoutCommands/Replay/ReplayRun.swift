import TurnoutCommandIO
import TurnoutEngine

/// The counts of a replay.
struct ReplayCount: Sendable {
    var equal = 0
    var different = 0
    var notComparable: [String: Int] = [:]
    var unknownLines = 0
    /// The first line that is not recognized, with its number.
    var firstUnknown: (line: Int, problem: String)?
    var lineCount = 0

    var decided: Int { equal + different }

    /// Adds the counts of the lines that follow.
    mutating func add(_ other: ReplayCount) {
        equal += other.equal
        different += other.different
        notComparable.merge(other.notComparable) { $0 + $1 }
        unknownLines += other.unknownLines
        if firstUnknown == nil, let first = other.firstUnknown {
            firstUnknown = (lineCount + first.line, first.problem)
        }
        lineCount += other.lineCount
    }
}

/// Decides a log of any length again on all cores, and writes differences in the order of its lines.
struct ReplayRun {
    private let comparison: LogComparison
    private let profiles: StoredProfiles
    private let name: String
    /// The most differences to write.
    private let limit: Int
    private var report: ReplayReport
    private var count = ReplayCount()
    private var progress = ProgressLine(of: "lines", on: Terminal(.error))

    init(
        _ comparison: LogComparison, _ profiles: StoredProfiles, log name: String, limit: Int, report: ReplayReport
    ) {
        (self.comparison, self.profiles, self.name) = (comparison, profiles, name)
        (self.limit, self.report) = (limit, report)
    }

    mutating func run() async throws(CommandError) -> ReplayCount {
        var file = try LineFile(name)
        let start = ContinuousClock.now
        // No progress line among differences on the same terminal.
        let showsProgress = !Terminal(.output).isTerminal
        var byteCount = 0
        let (comparison, profiles, limit) = (comparison, profiles, limit)
        try put(report.start)
        while let lines = try file.next(after: count.lineCount) {
            let blocks = await Workers.map(lines.piecesForWorkers) {
                ReplayedLines($0, comparison, profiles, limit: limit)
            }
            for block in blocks {
                if let failure = block.failure { throw failure }
                let room = max(limit - count.different, 0)
                for (line, difference) in block.differences.prefix(room) {
                    try put(report.text(of: difference, at: count.lineCount + line, in: file.name))
                }
                count.add(block.count)
            }
            byteCount += lines.count
            progress.total = file.size.map { $0 / max(byteCount / max(count.lineCount, 1), 1) }
            if showsProgress { put(progress: progress.update(done: count.lineCount, after: .now - start)) }
        }
        put(progress: progress.clear())
        try put(report.end(count, in: file.name, limit: limit))
        return count
    }

    private func put(_ text: String) throws(CommandError) {
        guard StandardStream.output.put(text) else { throw .unwritten("the differences") }
    }

    private func put(progress text: String?) {
        if let text { StandardStream.error.put(text) }
    }
}

/// A piece of lines that was decided again.
private struct ReplayedLines: Sendable {
    let count: ReplayCount
    let differences: [(line: Int, difference: LogDifference)]

    /// Why the store of assignments failed.
    let failure: CommandError?

    init(_ lines: ArraySlice<UInt8>, _ comparison: LogComparison, _ profiles: StoredProfiles, limit: Int) {
        var (count, differences) = (ReplayCount(), [(line: Int, difference: LogDifference)]())
        func add(_ decision: (LoggedDecision, line: Int), _ profile: UserProfile) {
            switch comparison.compare(decision.0, profile: profile) {
            case .equal: count.equal += 1
            case .notComparable(let reason): count.notComparable[reason, default: 0] += 1
            case .different(let difference):
                count.different += 1
                if differences.count < limit { differences.append((decision.line, difference)) }
            }
        }
        var lookup = ProfileLookup<(LoggedDecision, line: Int)>(in: profiles)
        count.lineCount = lines.forEachLine { number, line in
            switch Self.decisions(in: line) {
            case .success(let decisions):
                for decision in decisions { lookup.add((decision, number), userID: decision.userID, add) }
            case .failure(let error):
                count.unknownLines += 1
                if count.firstUnknown == nil { count.firstUnknown = (number, error.message) }
            }
        }
        lookup.finish(add)
        (self.count, self.differences, failure) = (count, differences, lookup.failure)
    }

    private static func decisions(
        in line: UnsafeBufferPointer<UInt8>
    ) -> Swift.Result<[LoggedDecision], LogLineError> {
        do throws(JSONError) {
            let value = try JSONValue(parsing: Array(line))
            return Swift.Result { () throws(LogLineError) in try LogLine.decisions(in: value) }
        } catch {
            return .failure(LogLineError("column \(error.column): \(error.message)"))
        }
    }
}
