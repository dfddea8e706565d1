import TurnoutCommandIO

/// The parts of a list's file, which are sent one after the other: complete lines, few enough for a request.
struct UploadParts: ~Copyable {
    /// The maximum size of a request in bytes, below the server's limit of 16 MiB.
    static let maximumSize = 15 << 20

    /// Some lines of the file.
    struct Part {
        let bytes: [UInt8]
        /// The number of the first line in the file, counted from 1.
        let firstLine: Int

        /// The lines by their numbers, for messages.
        var place: String {
            let lastLine = firstLine + bytes.lineBreakCount - (bytes.last == 0x0A ? 1 : 0)
            return lastLine > firstLine
                ? "lines \(firstLine.grouped) to \(lastLine.grouped)" : "line \(firstLine.grouped)"
        }
    }

    private let isTable: Bool
    private let size: Int
    private var lines: LineFile
    /// The bytes that were read and are in no part yet.
    private var rest: [UInt8] = []
    /// The number of lines that were read.
    private var readCount = 0
    /// The number of lines before the rest.
    private var sentCount = 0
    private var isFirst = true

    /// Opens the file.
    ///
    /// - Parameters:
    ///   - file: The path; `-` is standard input.
    ///   - isTable: Whether the file has comma-separated values instead of JSON.
    ///   - size: The size of a part in bytes.
    /// - Throws: `CommandError` if it cannot be opened.
    init(_ file: String, isTable: Bool, size: Int) throws(CommandError) {
        (self.isTable, self.size) = (isTable, size)
        let advice =
            isTable
            ? "The file needs one user per line, in the first column."
            : "The file needs one string per line, or one JSON object with \"user_id\"."
        lines = try LineFile(file, advice: advice)
    }

    /// The next lines; nil at the end of the file. The part of an empty file is empty.
    ///
    /// - Throws: `CommandError` if the file cannot be read, or a line is too long for a request.
    mutating func next() throws(CommandError) -> Part? {
        while rest.count <= size {
            guard var chunk = try lines.next(after: readCount) else { break }
            if isTable { chunk.replaceCarriageReturns() }
            try check(chunk)
            rest += chunk
            readCount += chunk.count { $0 == 0x0A }
        }
        guard isFirst || !rest.isEmpty else { return nil }
        isFirst = false
        var end = rest.count
        if end > size, let lineBreak = rest[..<size].lastIndex(of: 0x0A) { end = lineBreak + 1 }
        let part = Part(bytes: Array(rest[..<end]), firstLine: sentCount + 1)
        rest.removeSubrange(..<end)
        sentCount += part.bytes.lineBreakCount
        return part
    }

    /// Refuses lines that do not fit in a request.
    private func check(_ chunk: ArraySlice<UInt8>) throws(CommandError) {
        var (number, start) = (readCount + 1, chunk.startIndex)
        while chunk.endIndex - start > size {
            guard let lineBreak = chunk[start..<(start + size)].firstIndex(of: 0x0A) else {
                throw lines.tooLong(number, size)
            }
            (number, start) = (number + 1, lineBreak + 1)
        }
    }
}

extension ArraySlice<UInt8> {
    /// Replaces each CR that ends a line by LF. Some spreadsheets write that.
    fileprivate mutating func replaceCarriageReturns() {
        for index in indices where self[index] == 0x0D && (index + 1 == endIndex || self[index + 1] != 0x0A) {
            self[index] = 0x0A
        }
    }
}

extension [UInt8] {
    fileprivate var lineBreakCount: Int { count { $0 == 0x0A } }
}
