/// The text of a project file, and where its lines begin.
package struct SourceFile: Sendable {
    /// The name in diagnostics.
    package let name: String
    /// The text in UTF-8.
    package let bytes: [UInt8]
    /// The offsets at which lines begin, in ascending order; the first is 0.
    private let lineStarts: [Int]

    /// Creates a source file.
    ///
    /// - Complexity: O(n) in the size of the text.
    package init(name: String, bytes: [UInt8]) {
        self.name = name
        self.bytes = bytes
        var starts = [0]
        for (offset, byte) in bytes.enumerated() where byte == 0x0A { starts.append(offset + 1) }
        lineStarts = starts
    }

    /// The line and column of an offset.
    ///
    /// - Complexity: O(log n + m) for n lines and a line of m bytes.
    package func position(of offset: Int) -> SourcePosition {
        let offset = min(max(offset, 0), bytes.count)
        var low = 0
        var high = lineStarts.count
        while high - low > 1 {
            let middle = (low + high) / 2
            if lineStarts[middle] <= offset { low = middle } else { high = middle }
        }
        let column = bytes[lineStarts[low]..<offset].count { $0 & 0xC0 != 0x80 }
        return SourcePosition(line: low + 1, column: column + 1)
    }

    /// The text of a range of offsets.
    package func text(in range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }
}

/// A place in a source file.
package struct SourcePosition: Sendable, Equatable {
    /// The line, counted from 1.
    package let line: Int
    /// The column in Unicode scalars, counted from 1.
    package let column: Int

    /// Creates a position.
    package init(line: Int, column: Int) {
        self.line = line
        self.column = column
    }
}

/// The range of bytes from which a part of an authored project was read; nil if it was made in memory.
///
/// Two origins are always equal, so that two projects are equal wherever their parts are written.
package struct Origin: Sendable, Hashable {
    /// The offsets in the source file.
    package let range: Range<Int>?

    /// Creates an origin.
    package init(_ range: Range<Int>? = nil) { self.range = range }

    /// Always true.
    package static func == (left: Origin, right: Origin) -> Bool { true }

    /// Adds nothing.
    package func hash(into hasher: inout Hasher) {}
}
