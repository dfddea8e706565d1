import TurnoutCommandIO
import TurnoutEngine
import TurnoutReports

/// A file with one JSON object or one user per line, of any length. It is read in chunks of complete lines.
struct LineFile: ~Copyable {
    private let file: InputFile
    private var bytes: [UInt8] = []
    /// The length of the chunk that ``bytes`` still starts with.
    private var chunk = 0
    private var isOpen = true

    /// The bytes per core and chunk: enough to make starting threads cheap, few enough to bound memory.
    private static let bytesPerWorker = 1 << 19
    /// The limit for a line. A file with longer lines is not a list of objects.
    private static let longestLine = 64 << 20

    init(_ name: String) throws(CommandError) { file = try InputFile(name) }

    var name: String { file.name }
    /// The size in bytes of a regular file; nil for pipes.
    var size: Int? { file.size }

    /// Reads the next complete lines.
    ///
    /// - Parameter lineCount: The number of lines before, for errors.
    /// - Returns: The lines, or nil at the end of the file. The last line may lack its line break.
    /// - Throws: `CommandError` if the file cannot be read, or a line is too long.
    mutating func next(after lineCount: Int) throws(CommandError) -> ArraySlice<UInt8>? {
        bytes.removeSubrange(..<chunk)
        chunk = 0
        guard isOpen else { return nil }
        isOpen = try readLines(after: lineCount)
        chunk = isOpen ? bytes.lastIndex(of: 0x0A).map { $0 + 1 } ?? 0 : bytes.count
        return bytes[..<chunk]
    }

    /// Reads until there is a line, and from a file until there is work for every core. Returns false at the end of the
    /// file.
    private mutating func readLines(after lineCount: Int) throws(CommandError) -> Bool {
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
}

extension ArraySlice<UInt8> {
    /// The lines in one piece per worker.
    var piecesForWorkers: [ArraySlice<UInt8>] {
        let size = Swift.max(count / Workers.count, 1)
        var pieces: [ArraySlice<UInt8>] = []
        var rest = self
        while !rest.isEmpty {
            let end = rest.dropFirst(size - 1).firstIndex(of: 0x0A).map { $0 + 1 } ?? rest.endIndex
            pieces.append(rest[..<end])
            rest = rest[end...]
        }
        return pieces
    }

    /// Calls a function for each line with its number, counted from 1, except for empty lines. Returns the number of
    /// all lines.
    func forEachLine(_ body: (_ number: Int, _ line: UnsafeBufferPointer<UInt8>) -> Void) -> Int {
        var number = 0
        withUnsafeBufferPointer { bytes in
            var start = 0
            while start < bytes.count {
                let end = bytes[start...].firstIndex(of: 0x0A) ?? bytes.count
                let line = UnsafeBufferPointer(rebasing: bytes[start..<end])
                number += 1
                // Only JSON whitespace is skipped: other control bytes indicate a corrupt file, and are reported.
                if line.contains(where: { $0 != 0x20 && $0 != 0x09 && $0 != 0x0D }) { body(number, line) }
                start = end + 1
            }
        }
        return number
    }
}

/// A line that cannot be read.
struct BadLine: Sendable {
    /// Counted from 1 within a piece.
    let number: Int
    let error: JSONError

    /// The place and the problem. `lineCount` is the number of lines before the piece.
    func place(in file: String, after lineCount: Int) -> String {
        let path = error.path.isEmpty ? "" : error.pathText + ": "
        return "\(file):\(lineCount + number):\(error.column): \(path)\(error.message)"
    }

    /// The message for standard error.
    func report(in file: String, after lineCount: Int) -> String {
        (place(in: file, after: lineCount) + "; line skipped").printable + "\n"
    }

    /// The message after the last line, or nil if all lines were read.
    static func summary(_ count: Int, of lineCount: Int) -> String? {
        guard count > 0 else { return nil }
        return "turnout: \(count.grouped) of \(lineCount.grouped) lines \(count == 1 ? "was" : "were") skipped\n"
    }
}
