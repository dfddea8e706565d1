/// The text of a project file, and where its lines begin.
package struct SourceFile: Sendable {
    package let name: String
    /// The text in UTF-8.
    package let bytes: [UInt8]
    /// The largest text that is read, in bytes: 32 MiB. What is read from it takes many times its size in memory.
    package static let sizeLimit = 32 << 20
    /// The offsets at which lines begin, in ascending order; the first is 0. Those behind the limit are not known.
    let lineStarts: [Int]
    /// How many characters begin before each 1,024th byte, so that a column in a very long line is found at once.
    private let characterCounts: [Int]
    private static let stride = 1_024

    /// Creates a source file.
    ///
    /// - Complexity: O(n) in the size of the text.
    package init(name: String, bytes: [UInt8]) {
        self.name = name
        self.bytes = bytes
        var starts = [0]
        var counts: [Int] = []
        var characters = 0
        let indexed = bytes.prefix(Self.sizeLimit + 1)
        starts.reserveCapacity(1 + indexed.count { $0 == 0x0A })
        for (offset, byte) in indexed.enumerated() {
            if offset % Self.stride == 0 { counts.append(characters) }
            if byte == 0x0A { starts.append(offset + 1) }
            if byte & 0xC0 != 0x80 { characters += 1 }
        }
        lineStarts = starts
        characterCounts = counts
    }

    /// The line and column of an offset.
    ///
    /// - Complexity: O(log n) for n lines.
    package func position(of offset: Int) -> SourcePosition {
        let offset = min(max(offset, 0), bytes.count, Self.sizeLimit)
        var low = 0
        var high = lineStarts.count
        while high - low > 1 {
            let middle = (low + high) / 2
            if lineStarts[middle] <= offset { low = middle } else { high = middle }
        }
        let column = characters(before: offset) - characters(before: lineStarts[low])
        return SourcePosition(line: low + 1, column: column + 1)
    }

    /// The offset of a byte of a line, both counted from 1.
    func offset(line: Int, byte: Int) -> Int {
        guard lineStarts.indices.contains(line - 1) else { return bytes.count }
        return min(lineStarts[line - 1] + max(byte - 1, 0), bytes.count)
    }

    /// The offset of a comma that comes before a closing bracket or brace, or nil.
    func trailingComma(before offset: Int) -> Int? {
        guard offset < bytes.count, "]}".utf8.contains(bytes[offset]) else { return nil }
        guard let last = bytes[..<offset].lastIndex(where: { $0 > 0x20 }) else { return nil }
        return bytes[last] == UInt8(ascii: ",") ? last : nil
    }

    private func characters(before offset: Int) -> Int {
        let index = min(offset / Self.stride, characterCounts.count - 1)
        guard index >= 0 else { return 0 }
        return characterCounts[index] + bytes[index * Self.stride..<offset].count { $0 & 0xC0 != 0x80 }
    }

    /// The error about a text that is too large, where it exceeds the limit; nil if it is not.
    package func sizeProblem(limit: Int = sizeLimit) -> Diagnostic? {
        guard bytes.count > limit else { return nil }
        return Diagnostic(
            .error, SyntaxProblem.limit.rawValue,
            "the file has \(bytes.count) bytes; the limit is \(limit)",
            advice: "Divide the project; each has a folder of its own.", at: position(of: limit))
    }

    /// The error about a text with too many values, at one of them.
    package func countProblem(at offset: Int, limit: Int) -> Diagnostic {
        Diagnostic(
            .error, SyntaxProblem.limit.rawValue, "the file has more than \(limit) values",
            advice: "Divide the project; each has a folder of its own.", at: position(of: offset))
    }

    /// The error about a text in UTF-16; nil for any other.
    package var encodingProblem: Diagnostic? {
        guard bytes.starts(with: [0xFE, 0xFF]) || bytes.starts(with: [0xFF, 0xFE]) else { return nil }
        return Diagnostic(
            .error, SyntaxProblem.encoding.rawValue, "the file is in UTF-16; expected UTF-8",
            advice: "Save it as UTF-8.", at: position(of: 0))
    }

    /// The text of a range of offsets.
    package func text(in range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }
}

/// A place in a source file.
package struct SourcePosition: Sendable, Comparable {
    /// The line, counted from 1.
    package let line: Int
    /// The column in Unicode scalars, counted from 1.
    package let column: Int

    package init(line: Int, column: Int) {
        self.line = line
        self.column = column
    }

    package static func < (left: SourcePosition, right: SourcePosition) -> Bool {
        (left.line, left.column) < (right.line, right.column)
    }
}

/// The range of bytes from which a part of an authored project was read; nil if it was made in memory.
///
/// Two origins are always equal, so that two projects are equal wherever their parts are written.
package struct SourceOrigin: Sendable, Hashable {
    /// The offsets in the source file.
    package let range: Range<Int>?

    package init(_ range: Range<Int>? = nil) { self.range = range }

    package static func == (left: SourceOrigin, right: SourceOrigin) -> Bool { true }

    package func hash(into hasher: inout Hasher) {}
}

extension SourceFile {
    /// The conflict in a text that git marked; nil if there is none.
    ///
    /// - Parameter isUnreadable: Whether the text cannot be read, so that a single marker is enough. Otherwise one
    ///   needs the markers of both ends: in YAML, they may read as if they were text in a list of several lines.
    /// - Returns: An error at the first marker.
    /// - Complexity: O(n) for n lines.
    package func conflict(isUnreadable: Bool) -> Diagnostic? {
        var starts: [Int] = []
        var lastEnd: Int?
        for (index, start) in lineStarts.enumerated() {
            if bytes[start...].isMarker("<<<<<<<") { starts.append(index + 1) }
            if bytes[start...].isMarker(">>>>>>>") { lastEnd = index + 1 }
        }
        guard let first = starts.first ?? lastEnd, isUnreadable || !starts.isEmpty && lastEnd != nil else { return nil }
        let places = starts.count > 1 ? "\(starts.count) unresolved conflicts" : "an unresolved conflict"
        return Diagnostic(
            .error, SyntaxProblem.conflictMarkers.rawValue,
            "the file has \(places) that git marked with <<<<<<<, ======= and >>>>>>>",
            advice: "Edit the text between the markers as needed, delete the lines of the markers, and compile again.",
            at: SourcePosition(line: first, column: 1))
    }
}

extension [UInt8].SubSequence {
    /// Whether a line is a marker: seven characters, and a space or the end of the line after them.
    fileprivate func isMarker(_ marker: String) -> Bool {
        guard starts(with: marker.utf8) else { return false }
        let next = dropFirst(marker.utf8.count).first
        return next == nil || next == 0x20 || next == 0x0A || next == 0x0D
    }
}
