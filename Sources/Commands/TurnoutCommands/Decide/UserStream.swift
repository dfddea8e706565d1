import TurnoutEngine

/// Decides a file of users of any length: reads a stretch of lines, decides it on all cores, writes the decisions in the
/// order of the lines, and goes on. Memory does not grow with the file.
struct UserStream {
    private let name: String
    private let decider: UserDecider
    private var lineCount = 0
    private var userCount = 0
    private var byteCount = 0
    private var badLineCount = 0
    private var table: DecisionOutput
    private var wroteAnything = false

    /// How much of the file each core gets at a time: enough to make starting threads cheap, little enough to keep
    /// memory flat.
    private static let bytesPerWorker = 1 << 19

    init(_ name: String, _ decider: UserDecider) {
        self.name = name
        self.decider = decider
        table = decider.makeOutput()
    }

    /// Decides all users. Returns the exit code: 1 if a line could not be used.
    mutating func run() async throws(CommandError) -> Int32 {
        let file = try InputFile(name)
        let frame = DecisionOutput.frame(decider.format)
        var progress = Progress(of: "users", total: nil, on: Terminal(.error))
        let start = ContinuousClock.now
        let stretch = Self.bytesPerWorker * Workers.count
        var bytes: [UInt8] = []
        var isOpen = true
        try put(frame.start)
        while isOpen {
            while isOpen, bytes.count < stretch { isOpen = try file.read(into: &bytes, upTo: stretch) }
            // The last line of the file may lack its line break.
            guard let end = isOpen ? bytes.lastIndex(of: 0x0A).map({ $0 + 1 }) : bytes.count else { continue }
            try await decide(bytes[..<end], in: file.name)
            byteCount += end
            bytes.removeSubrange(..<end)
            let estimate = file.size.map { $0 / max(byteCount / max(userCount, 1), 1) }
            progress.total = estimate
            report(progress.update(done: userCount, after: .now - start))
        }
        report(progress.clear())
        try finish(frame.end)
        return badLineCount == 0 ? 0 : CommandError.exitCode
    }

    private mutating func decide(_ lines: ArraySlice<UInt8>, in file: String) async throws(CommandError) {
        let decider = decider
        for block in await Workers.map(Self.pieces(of: lines), { decider.decide($0) }) {
            for (line, error) in block.badLines {
                let place = error.path.isEmpty ? "" : error.pathText + ": "
                report("\(file):\(lineCount + line):\(error.column): \(place)\(error.message); line left out\n")
            }
            badLineCount += block.badLines.count
            lineCount += block.lineCount
            userCount += block.userCount
            try write(block.output)
        }
    }

    private mutating func write(_ output: DecisionOutput) throws(CommandError) {
        guard !output.isEmpty else { return }
        if case .table = decider.format { return table.append(output) }
        if wroteAnything { try put(DecisionOutput.frame(decider.format).separator) }
        wroteAnything = true
        guard output.put(on: .output) else { throw Self.writeError }
    }

    private func finish(_ end: String) throws(CommandError) {
        if case .table = decider.format { try put(table.finished(for: Terminal(.output))) } else { try put(end) }
        guard badLineCount > 0 else { return }
        report("turnout: \(badLineCount.grouped) of \(lineCount.grouped) lines were left out\n")
    }

    private func put(_ text: String) throws(CommandError) {
        guard StandardStream.output.put(text) else { throw Self.writeError }
    }

    private func report(_ text: String?) {
        if let text { StandardStream.error.put(text) }
    }

    private static let writeError = CommandError(
        "the decisions cannot be written", cure: "Is the disk full, or the reading program gone?")

    /// Cuts lines into one piece for each worker, at line breaks.
    private static func pieces(of lines: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
        let size = max(lines.count / Workers.count, 1)
        var pieces: [ArraySlice<UInt8>] = []
        var rest = lines
        while !rest.isEmpty {
            let end = rest.dropFirst(size - 1).firstIndex(of: 0x0A).map { $0 + 1 } ?? rest.endIndex
            pieces.append(rest[..<end])
            rest = rest[end...]
        }
        return pieces
    }
}
