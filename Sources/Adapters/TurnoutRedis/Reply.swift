import TurnoutClient
package import TurnoutSockets

/// A server's reply to a command.
package enum Reply: Sendable, Equatable {
    /// No value, such as for a missing key.
    case null
    case integer(Int64)
    /// A text, or a short word such as `OK`.
    case text(String)
    /// Bytes that are not UTF-8.
    case bytes([UInt8])
    case array([Reply])
    /// The command failed; the first word is the error code.
    case error(String)

    /// The reply of most commands that change data.
    static let ok = Reply.text("OK")

    /// Creates a text if the bytes are UTF-8.
    init(_ bytes: ArraySlice<UInt8>) {
        if let text = String(validating: bytes, as: UTF8.self) {
            self = .text(text)
        } else {
            self = .bytes(Array(bytes))
        }
    }

    /// The text, if it is one.
    var text: String? { if case .text(let text) = self { text } else { nil } }
    /// The number, if it is one.
    var integer: Int64? { if case .integer(let integer) = self { integer } else { nil } }
    /// The elements, if it is an array.
    var elements: [Reply]? { if case .array(let elements) = self { elements } else { nil } }

    /// The error that this is, or the first within it.
    var error: ProfileServerError? {
        switch self {
        case .error(let text): ProfileServerError(reply: text)
        case .array(let elements): elements.lazy.compactMap(\.error).first
        default: nil
        }
    }
}

/// Parses replies in version 2 of Redis's protocol, in pieces of any size.
///
/// The input is untrusted: lines, sizes, depths and the number of elements are limited, and no memory is reserved for
/// what has not arrived. No input traps.
package final class ReplyReader: ResponseReader {
    /// An array whose other elements are next.
    private struct OpenArray {
        var elements: [Reply]
        let count: Int
    }

    package private(set) var replies: [Reply] = []
    package private(set) var completedParts = 0

    /// The cumulative number of replies after each part of the request.
    private let counts: [Int]
    private var input: [UInt8] = []
    private var open: [OpenArray] = []
    /// The number of bytes and elements of the current reply.
    private var (size, elementCount) = (0, 0)

    /// Creates a reader that expects `counts` replies to the parts of a request.
    package init(_ counts: [Int]) {
        var sum = 0
        self.counts = counts.map { count in
            sum += count
            return sum
        }
        replies.reserveCapacity(min(sum, batchSize))
    }

    /// Longer than any line of Redis.
    package static let longestLine = 16_384
    /// The most bytes of a reply.
    package static let sizeLimit = 64 << 20
    /// The most elements of a reply, in all its arrays together.
    package static let mostElements = 1 << 20
    /// Replies to `CLUSTER SLOTS` have four levels.
    private static let deepest = 8

    private static let noRedis = StreamError(.invalidResponse, "the server does not speak Redis's protocol")
    private static let tooLarge = StreamError(.invalidResponse, "a reply is too large")
    private static let tooMuch = StreamError(.invalidResponse, "the server sent more replies than commands")

    package func take(_ bytes: UnsafeRawBufferPointer) throws(StreamError) {
        input.append(contentsOf: bytes)
        var position = 0
        while try step(&position) {}
        input.removeFirst(position)
    }

    /// Reads the next value, or the head of an array. Returns false if it is not complete.
    private func step(_ position: inout Int) throws(StreamError) -> Bool {
        guard position < input.count else { return false }
        guard completedParts < counts.count else { throw Self.tooMuch }
        if open.isEmpty { (size, elementCount) = (0, 0) }
        guard size <= Self.sizeLimit else { throw Self.tooLarge }
        guard let lineEnd = input[position...].prefix(Self.longestLine).firstIndex(of: 0x0A) else {
            guard input.count - position < Self.longestLine else { throw Self.noRedis }
            return false
        }
        guard lineEnd >= position + 2, input[lineEnd - 1] == 0x0D else { throw Self.noRedis }
        let line = input[(position + 1)..<(lineEnd - 1)]
        var end = lineEnd + 1
        switch input[position] {
        case UInt8(ascii: "+"): add(Reply(line))
        case UInt8(ascii: "-"): add(.error(String(decoding: line, as: UTF8.self)))
        case UInt8(ascii: ":"): add(.integer(try Self.number(line)))
        case UInt8(ascii: "$"):
            guard let count = try Self.count(line, limit: Self.sizeLimit - size) else {
                add(.null)
                break
            }
            end += count + 2
            guard input.count >= end else { return false }
            guard input[end - 2] == 0x0D, input[end - 1] == 0x0A else { throw Self.noRedis }
            add(Reply(input[(lineEnd + 1)..<(end - 2)]))
        case UInt8(ascii: "*"): try begin(Self.count(line, limit: Self.mostElements - elementCount))
        default: throw Self.noRedis
        }
        size += end - position
        position = end
        return true
    }

    private static func number(_ digits: ArraySlice<UInt8>) throws(StreamError) -> Int64 {
        guard let number = Int64(String(decoding: digits, as: UTF8.self)) else { throw noRedis }
        return number
    }

    /// A number of bytes or elements; nil for a null.
    private static func count(_ digits: ArraySlice<UInt8>, limit: Int) throws(StreamError) -> Int? {
        let count = try number(digits)
        guard count >= -1 else { throw noRedis }
        guard count <= limit else { throw tooLarge }
        return count < 0 ? nil : Int(count)
    }

    private func begin(_ count: Int?) throws(StreamError) {
        guard let count else { return add(.null) }
        guard count > 0 else { return add(.array([])) }
        guard open.count < Self.deepest else { throw Self.noRedis }
        elementCount += count
        open.append(OpenArray(elements: [], count: count))
    }

    /// Adds a value to the innermost open array, and completes arrays and parts of the request.
    private func add(_ value: Reply) {
        var value = value
        while var array = open.popLast() {
            array.elements.append(value)
            guard array.elements.count == array.count else { return open.append(array) }
            value = .array(array.elements)
        }
        replies.append(value)
        while completedParts < counts.count, replies.count >= counts[completedParts] { completedParts += 1 }
    }
}
