/// Reads a stream of server-sent events (HTML standard, 9.2.6).
///
/// A value without input or output: bytes go in as they arrive, in pieces of any size, and complete events come out.
/// Invalid UTF-8 is replaced. A byte order mark at the start, comments and unknown fields are ignored; an event that is
/// incomplete at the end of the stream is lost.
package struct EventStreamParser: Sendable {
    package struct Event: Sendable, Equatable {
        /// The name; `message` unless the server sets another one.
        package var name: String
        /// The data; its lines are separated by line feeds.
        package var data: String

        package init(name: String, data: String) { (self.name, self.data) = (name, data) }
    }

    /// Why a stream cannot be read any further.
    package struct Problem: PrintableError, Equatable {
        /// The description of the problem.
        package let description: String
    }

    /// The id of the last event, including one without data, for the header `Last-Event-ID`. Empty if there is none.
    package private(set) var lastEventID = ""
    /// The pause before reconnecting that the server asks for, or nil.
    package private(set) var retry: Duration?

    private let maximumLineSize: Int
    private let maximumDataSize: Int
    private var line: [UInt8] = []
    private var data: [UInt8] = []
    private var name = ""
    private var id = ""
    private var isFirstLine = true
    private var endedWithReturn = false

    /// Creates a parser at the start of a stream.
    ///
    /// - Parameters:
    ///   - maximumLineSize: The maximum size of a line, in bytes. Default: 64 KiB.
    ///   - maximumDataSize: The maximum size of the data of an event, in bytes. Default: 256 KiB.
    package init(maximumLineSize: Int = 64 << 10, maximumDataSize: Int = 256 << 10) {
        self.maximumLineSize = maximumLineSize
        self.maximumDataSize = maximumDataSize
    }

    /// Reads a piece of the stream, and returns the events that it completes.
    ///
    /// - Throws: ``Problem`` if a line or an event exceeds its limit. The parser must not be used afterwards.
    /// - Complexity: O(n) in the size of the piece.
    package mutating func read(_ piece: some Sequence<UInt8>) throws(Problem) -> [Event] {
        var events: [Event] = []
        for byte in piece {
            defer { endedWithReturn = byte == UInt8(ascii: "\r") }
            switch byte {
            // A return and a line feed are one line end, even in two pieces.
            case UInt8(ascii: "\n") where endedWithReturn: continue
            case UInt8(ascii: "\n"), UInt8(ascii: "\r"):
                if let event = try endLine() { events.append(event) }
            default:
                guard line.count < maximumLineSize else {
                    throw Problem(description: "a line of the stream is longer than \(maximumLineSize) bytes")
                }
                line.append(byte)
            }
        }
        return events
    }

    private mutating func endLine() throws(Problem) -> Event? {
        var line = line[...]
        self.line.removeAll(keepingCapacity: true)
        if isFirstLine, line.starts(with: [0xEF, 0xBB, 0xBF]) { line = line.dropFirst(3) }
        isFirstLine = false
        guard !line.isEmpty else { return endEvent() }
        let colon = line.firstIndex(of: UInt8(ascii: ":")) ?? line.endIndex
        var value = line[colon...].dropFirst()
        if value.first == UInt8(ascii: " ") { value = value.dropFirst() }
        // A line that begins with a colon is a comment: its field has no name.
        try set(String(decoding: line[..<colon], as: UTF8.self), to: value)
        return nil
    }

    private mutating func set(_ field: String, to value: ArraySlice<UInt8>) throws(Problem) {
        switch field {
        case "event": name = String(decoding: value, as: UTF8.self)
        case "data":
            guard data.count + value.count < maximumDataSize else {
                throw Problem(description: "an event of the stream has more than \(maximumDataSize) bytes")
            }
            data += value
            data.append(UInt8(ascii: "\n"))
        case "id" where !value.contains(0): id = String(decoding: value, as: UTF8.self)
        case "retry" where !value.isEmpty && value.allSatisfy({ $0 &- 0x30 < 10 }):
            if let number = Int64(String(decoding: value, as: UTF8.self)) { retry = .milliseconds(number) }
        default: break
        }
    }

    private mutating func endEvent() -> Event? {
        lastEventID = id
        defer {
            data.removeAll(keepingCapacity: true)
            name = ""
        }
        guard !data.isEmpty else { return nil }
        return Event(
            name: name.isEmpty ? "message" : name, data: String(decoding: data.dropLast(), as: UTF8.self))
    }
}
