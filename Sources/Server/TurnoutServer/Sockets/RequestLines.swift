/// The lines of the bytes that a client has sent. Each must end in CR LF and have no zero bytes: other readers,
/// such as a proxy, might not agree where another line ends.
struct RequestLines {
    /// What begins at a place.
    enum Next: Equatable {
        /// A line, without its end.
        case line(Range<Int>)
        /// A line whose end has not arrived.
        case incomplete
        case malformed
    }

    /// The line that begins at a place.
    static func next(in bytes: UnsafeRawBufferPointer, at start: Int) -> Next {
        var place = start
        while place < bytes.count {
            switch bytes[place] {
            case 0x0D:
                guard place + 1 < bytes.count else { return .incomplete }
                return bytes[place + 1] == 0x0A ? .line(start..<place) : .malformed
            case 0x0A, 0: return .malformed
            default: place += 1
            }
        }
        return .incomplete
    }

    /// The request line and the headers.
    private(set) var lines: [Range<Int>] = []
    /// Where the next line begins.
    private(set) var end = 0

    /// Continues with what has arrived.
    ///
    /// - Returns: Whether the empty line after the headers has arrived; nil if a line is malformed.
    mutating func read(_ bytes: UnsafeRawBufferPointer) -> Bool? {
        while true {
            switch Self.next(in: bytes, at: end) {
            case .incomplete: return false
            case .malformed: return nil
            case .line(let line):
                end = line.upperBound + 2
                // Empty lines before a request are ignored. (RFC 9112, section 2.2)
                if line.isEmpty, !lines.isEmpty { return true }
                if !line.isEmpty { lines.append(line) }
            }
        }
    }
}

/// Reads a body in chunks. (RFC 9112, section 7.1)
struct ChunkReader {
    /// What begins at a place.
    enum Next {
        case data(Range<Int>)
        /// More bytes have to arrive.
        case incomplete
        case end
        case refused(RequestRefusal)
    }

    private enum State { case size, data(left: Int), endOfData, trailers }

    private var state = State.size
    private var sizeOfTrailers = 0

    /// Reads the next part.
    ///
    /// - Parameters:
    ///   - bytes: What has arrived.
    ///   - place: Where to start; moved behind what was read.
    ///   - limit: The maximum size of a line, and of all trailers.
    /// - Returns: What begins there.
    mutating func next(in bytes: UnsafeRawBufferPointer, at place: inout Int, limit: Int) -> Next {
        while true {
            if case .data(let left) = state {
                let count = min(left, bytes.count - place)
                guard count > 0 else { return .incomplete }
                defer { place += count }
                state = count == left ? .endOfData : .data(left: left - count)
                return .data(place..<place + count)
            }
            let line: Range<Int>
            switch RequestLines.next(in: bytes, at: place) {
            case .malformed: return .refused(Self.malformed)
            case .incomplete:
                if bytes.count - place <= limit { return .incomplete }
                return .refused(RequestRefusal(431, "a line is too large"))
            case .line(let found): line = found
            }
            place = line.upperBound + 2
            if let next = read(UnsafeRawBufferPointer(rebasing: bytes[line]), limit) { return next }
        }
    }

    /// Reads a line. Returns nil if there is more to read.
    private mutating func read(_ line: UnsafeRawBufferPointer, _ limit: Int) -> Next? {
        switch state {
        case .size:
            let digits = line.prefix { $0 != UInt8(ascii: ";") }
            guard !digits.isEmpty, digits.allSatisfy(\.isHexadecimal) else { return .refused(Self.malformed) }
            guard digits.count <= 15, let size = Int(String(decoding: digits, as: UTF8.self), radix: 16) else {
                return .refused(.bodyTooLarge)
            }
            state = size == 0 ? .trailers : .data(left: size)
        case .endOfData:
            guard line.isEmpty else { return .refused(Self.malformed) }
            state = .size
        case .trailers, .data:
            if line.isEmpty { return .end }
            sizeOfTrailers += line.count
            if sizeOfTrailers > limit { return .refused(RequestRefusal(431, "the trailers are too large")) }
            let name = line.prefix { $0 != UInt8(ascii: ":") }
            guard !name.isEmpty, name.count < line.count, name.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
                return .refused(Self.malformed)
            }
        }
        return nil
    }

    private static let malformed = RequestRefusal(400, "a chunk is malformed")
}

extension RequestHeadReader {
    /// Reads a request line and headers. Returns false if the first is none.
    mutating func read(_ lines: [Range<Int>], of bytes: UnsafeRawBufferPointer) -> Bool {
        let line = bytes[lines[0]]
        let parts = line.split(separator: 0x20, omittingEmptySubsequences: false).map {
            UnsafeRawBufferPointer(rebasing: $0)
        }
        guard parts.count > 1 else { return false }
        if parts.count == 3 {
            let isUnknown = parts[2].starts(with: "HTTP/".utf8) && !parts[2].starts(with: "HTTP/1.".utf8)
            if isUnknown { refuse(505, "only HTTP/1.1 and HTTP/1.0 are supported") }
            readTarget(parts[1])
            readRequestLine(method: parts[0], version: parts[2])
        } else {
            refuse(400, "the request line is malformed")
        }
        for line in lines.dropFirst() {
            let line = UnsafeRawBufferPointer(rebasing: bytes[line])
            guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else {
                refuse(400, "a header has no colon")
                continue
            }
            readField(
                name: UnsafeRawBufferPointer(rebasing: line[..<colon]),
                value: UnsafeRawBufferPointer(rebasing: line[(colon + 1)...]))
        }
        return true
    }
}

extension UInt8 {
    fileprivate var isHexadecimal: Bool {
        switch self {
        case 0x30...0x39, 0x41...0x46, 0x61...0x66: true
        default: false
        }
    }
}
