import TurnoutCommandIO
import TurnoutEngine

/// Decides a file of users of any length.
///
/// Repeatedly reads a chunk of lines, decides it on all cores, and writes the decisions in the order of the lines.
/// Memory use does not depend on the size of the file, except for table output.
struct UserStream {
    private let name: String
    private let decider: UserDecider
    private var lineCount = 0
    private var userCount = 0
    private var byteCount = 0
    private var badLineCount = 0
    private var unknownNames: UnknownNames
    private var table: DecisionOutput
    private var progress: ProgressLine
    private var wroteAnything = false

    init(_ name: String, _ decider: UserDecider) {
        self.name = name
        self.decider = decider
        unknownNames = decider.unknownNames
        table = decider.makeOutput()
        progress = ProgressLine(of: "users", on: Terminal(.error))
    }

    /// Decides all users. Returns the exit code: 1 if a line was invalid.
    mutating func run() async throws(CommandError) -> Int32 {
        var file = try LineFile(name)
        let frame = DecisionOutput.frame(decider.format)
        // No progress line among decisions on the same terminal.
        let showsProgress = !Terminal(.output).isTerminal
        let start = ContinuousClock.now
        try put(frame.start)
        while let lines = try file.next(after: lineCount) {
            try await decide(lines, in: file.name)
            byteCount += lines.count
            progress.total = file.size.map { $0 / max(byteCount / max(userCount, 1), 1) }
            if showsProgress { report(progress.update(done: userCount, after: .now - start)) }
        }
        report(progress.clear())
        try finish(frame.end)
        if userCount + badLineCount == 0 { report("turnout: warning: there are no users in \(file.name)\n") }
        return badLineCount == 0 ? 0 : CommandError.exitCode
    }

    private mutating func decide(_ lines: ArraySlice<UInt8>, in file: String) async throws(CommandError) {
        let decider = decider
        for block in await Workers.map(lines.piecesForWorkers, { decider.decide($0) }) {
            if !block.badLines.isEmpty { report(progress.clear()) }
            for line in block.badLines { report(line.report(in: file, after: lineCount)) }
            badLineCount += block.badLines.count
            lineCount += block.lineCount
            userCount += block.userCount
            unknownNames.add(block.unknownNames)
            try write(block.output)
            if let failure = block.failure { throw failure }
        }
    }

    private mutating func write(_ output: DecisionOutput) throws(CommandError) {
        guard !output.isEmpty else { return }
        if case .table = decider.format { return table.append(output) }
        if wroteAnything { try put(DecisionOutput.frame(decider.format).separator) }
        wroteAnything = true
        guard output.put(on: .output) else { throw .unwritten("the decisions") }
    }

    private func finish(_ end: String) throws(CommandError) {
        if case .table = decider.format { try put(table.finished(for: Terminal(.output))) } else { try put(end) }
        report(BadLine.summary(badLineCount, of: lineCount))
        unknownNames.warn()
    }

    private func put(_ text: String) throws(CommandError) {
        guard StandardStream.output.put(text) else { throw .unwritten("the decisions") }
    }

    private func report(_ text: String?) {
        if let text { StandardStream.error.put(text) }
    }
}
