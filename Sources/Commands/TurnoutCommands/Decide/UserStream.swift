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
    private var table: DecisionOutput
    private var progress: Progress
    private var wroteAnything = false

    /// The bytes per core and chunk: enough to make starting threads cheap, few enough to bound memory.
    private static let bytesPerWorker = 1 << 19
    /// The limit for a line. A file with longer lines is not a list of users.
    private static let longestLine = 64 << 20

    init(_ name: String, _ decider: UserDecider) {
        self.name = name
        self.decider = decider
        table = decider.makeOutput()
        progress = Progress(of: "users", on: Terminal(.error))
    }

    /// Decides all users. Returns the exit code: 1 if a line was invalid.
    mutating func run() async throws(CommandError) -> Int32 {
        let file = try InputFile(name)
        let frame = DecisionOutput.frame(decider.format)
        // No progress line among decisions on the same terminal.
        let showsProgress = !Terminal(.output).isTerminal
        let start = ContinuousClock.now
        var bytes: [UInt8] = []
        var isOpen = true
        try put(frame.start)
        while isOpen {
            isOpen = try readLines(of: file, into: &bytes)
            // The last line of the file may lack its line break.
            let end = isOpen ? bytes.lastIndex(of: 0x0A).map { $0 + 1 } ?? 0 : bytes.count
            try await decide(bytes[..<end], in: file.name)
            byteCount += end
            bytes.removeSubrange(..<end)
            progress.total = file.size.map { $0 / max(byteCount / max(userCount, 1), 1) }
            if showsProgress { report(progress.update(done: userCount, after: .now - start)) }
        }
        report(progress.clear())
        try finish(frame.end)
        return badLineCount == 0 ? 0 : CommandError.exitCode
    }

    /// Reads until there is a line, and from a file until there is work for every core. Returns false at the end of the
    /// file.
    private func readLines(of file: borrowing InputFile, into bytes: inout [UInt8]) throws(CommandError) -> Bool {
        let stretch = Self.bytesPerWorker * Workers.count
        var hasLine = false
        while !hasLine || (file.size != nil && bytes.count < stretch) {
            let seen = bytes.count
            guard try file.read(into: &bytes, upTo: stretch) else { return false }
            hasLine = hasLine || bytes[seen...].contains(0x0A)
            guard hasLine || bytes.count <= Self.longestLine else {
                throw CommandError(
                    "\(file.name):\(lineCount + 1): the line has more than \(Self.longestLine.grouped) bytes",
                    advice: "The file needs one JSON object per line; \"turnout decide --help\" shows one.")
            }
        }
        return true
    }

    private mutating func decide(_ lines: ArraySlice<UInt8>, in file: String) async throws(CommandError) {
        let decider = decider
        for block in await Workers.map(Self.pieces(of: lines), { decider.decide($0) }) {
            if !block.badLines.isEmpty { report(progress.clear()) }
            for (line, error) in block.badLines {
                let place = error.path.isEmpty ? "" : error.pathText + ": "
                let text = "\(file):\(lineCount + line):\(error.column): \(place)\(error.message); line skipped"
                report(text.printable + "\n")
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
        guard output.put(on: .output) else { throw .unwritten("the decisions") }
    }

    private func finish(_ end: String) throws(CommandError) {
        if case .table = decider.format { try put(table.finished(for: Terminal(.output))) } else { try put(end) }
        guard badLineCount > 0 else { return }
        let were = badLineCount == 1 ? "was" : "were"
        report("turnout: \(badLineCount.grouped) of \(lineCount.grouped) lines \(were) skipped\n")
    }

    private func put(_ text: String) throws(CommandError) {
        guard StandardStream.output.put(text) else { throw .unwritten("the decisions") }
    }

    private func report(_ text: String?) {
        if let text { StandardStream.error.put(text) }
    }

    /// Splits lines at line breaks into one piece per worker.
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
