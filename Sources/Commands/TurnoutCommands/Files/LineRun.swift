import LibC
import TurnoutCommandIO
import TurnoutEngine

/// Does the lines of a file of any length on all cores.
///
/// Repeatedly reads a chunk of lines, and passes on the results in the order of the lines. Memory use does not depend
/// on the size of the file. A progress line shows how far the run is, and lines that cannot be read are reported.
struct LineRun: ~Copyable {
    /// A piece of lines for one worker.
    struct Piece: Sendable {
        let lines: ArraySlice<UInt8>
        /// The number of the piece in its chunk.
        let number: Int
        /// The place of the piece among the bytes of the file.
        let offset: Int
    }

    /// What a worker has read.
    struct Read: Sendable {
        var lineCount = 0
        /// The number of what the progress line counts.
        var count = 0
        var badLines: [BadLine] = []
        /// Why the store of assignments failed, and elements are missing.
        var failure: CommandError?
    }

    private var file: LineFile
    private var progress: ProgressLine
    private let showsProgress: Bool
    private let start = ContinuousClock.now
    private var byteCount = 0
    private(set) var lineCount = 0
    private(set) var count = 0
    private(set) var badLineCount = 0

    /// Opens a file.
    ///
    /// - Parameters:
    ///   - name: The name of the file.
    ///   - unit: What the progress line counts, such as `users`.
    ///   - showsProgress: Whether there is a progress line.
    /// - Throws: `CommandError` if the file cannot be opened.
    init(_ name: String, of unit: String, showsProgress: Bool = true) throws(CommandError) {
        file = try LineFile(name)
        progress = ProgressLine(of: unit, on: Terminal(.error))
        self.showsProgress = showsProgress
    }

    /// The file, as messages name it.
    var name: String { file.name }

    /// Calls a function for each piece in parallel, and another one for each result with the number of lines before it.
    mutating func run<Result: Sendable>(
        _ work: @escaping @Sendable (Piece) -> (Read, Result),
        _ body: (Result, _ lineCount: Int) throws(CommandError) -> Void
    ) async throws(CommandError) {
        while let lines = try file.next(after: lineCount) {
            let pieces = lines.piecesForWorkers.enumerated().map { Piece(lines: $1, number: $0, offset: byteCount) }
            for (read, result) in await Workers.map(pieces, work) {
                if !read.badLines.isEmpty { report(progress.clear()) }
                for line in read.badLines { report(line.report(in: name, after: lineCount)) }
                try body(result, lineCount)
                badLineCount += read.badLines.count
                lineCount += read.lineCount
                count += read.count
                if let failure = read.failure { throw failure }
            }
            byteCount += lines.count
            progress.isGuessed = byteCount < file.size ?? 0
            progress.total = file.size.map { byteCount < $0 ? $0 / max(byteCount / max(count, 1), 1) : count }
            if showsProgress { report(progress.update(done: count, after: .now - start)) }
        }
        report(progress.clear())
        report(BadLine.summary(badLineCount, of: lineCount))
    }

    private func report(_ text: String?) {
        if let text { StandardStream.error.put(text) }
    }
}

extension LineRun.Piece {
    /// Calls a function for each user with the number of the line and the stored assignments.
    func forEachUser(
        with profiles: StoredProfiles, _ body: (User, _ number: Int, UserProfile) -> Void
    ) -> LineRun.Read {
        func pass(_ element: (user: User, number: Int), _ profile: UserProfile) {
            body(element.user, element.number, profile)
        }
        var read = LineRun.Read()
        var lookup = ProfileLookup<(user: User, number: Int)>(in: profiles)
        read.lineCount = lines.forEachLine { number, line in
            do throws(JSONError) {
                let user = try User(parsing: line)
                read.count += 1
                lookup.add((user, number), userID: user.id, pass)
            } catch {
                read.badLines.append(BadLine(number: number, error: error))
            }
        }
        lookup.finish(pass)
        read.failure = lookup.failure
        return read
    }
}

/// Runs work on all cores.
enum Workers {
    static let count = max(sysconf(Int32(_SC_NPROCESSORS_ONLN)), 1)

    /// Calls a function for each input in parallel, and returns the results in order.
    static func map<Input: Sendable, Output: Sendable>(
        _ inputs: [Input], _ transform: @escaping @Sendable (Input) -> Output
    ) async -> [Output] {
        await withTaskGroup(of: (Int, Output).self) { group in
            for (index, input) in inputs.enumerated() {
                group.addTask { (index, transform(input)) }
            }
            var results: [Int: Output] = [:]
            for await (index, output) in group { results[index] = output }
            return inputs.indices.compactMap { results[$0] }
        }
    }
}
