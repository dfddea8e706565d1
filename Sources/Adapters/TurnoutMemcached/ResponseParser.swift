package import TurnoutSockets

/// Parses the responses of a server, in pieces of any size.
///
/// The input is untrusted: only a valid response to the request is accepted, a line that is too long is refused before
/// its end, and the stored values are bounded by the requested keys. No input traps.
package final class ResponseParser: ResponseReader {
    /// The response to a request that changes a value.
    package enum Word: String {
        case stored = "STORED"
        case notStored = "NOT_STORED"
        case exists = "EXISTS"
        case notFound = "NOT_FOUND"
        case deleted = "DELETED"
    }

    /// Why a request was refused.
    package enum Refusal: Equatable {
        case tooLarge, full, tooManyConnections, unauthenticated
        case other(String)
    }

    private struct Head {
        let key: String
        let count: Int
        let version: UInt64
    }

    /// The values that were found, by key.
    package private(set) var values: [String: StoredValue] = [:]
    /// The response to a request that changes a value.
    package private(set) var word: Word?
    /// Why the request was refused. The parser throws in that case.
    package private(set) var refusal: Refusal?
    package private(set) var completedParts = 0

    /// Requested keys that were not found so far; nil if the response is a word.
    private var wanted: Set<String>?
    private let partCount: Int
    private var input: [UInt8] = []
    /// The value whose data is next.
    private var head: Head?
    private var size = 0

    package init() { partCount = 1 }

    /// Expects values of keys, in as many responses as there are requests.
    package init(valuesOf keys: some Sequence<String>, partCount: Int) {
        wanted = Set(keys)
        self.partCount = partCount
    }

    /// Longer than any line of memcached, which has a key of up to 250 bytes and three numbers.
    private static let longestLine = 1_024
    /// The most bytes of values in the response to one request.
    package static let sizeLimit = 64 << 20

    static let invalidResponse = StreamError(
        .invalidResponse, "the response is not valid for this request")

    package func take(_ bytes: UnsafeRawBufferPointer) throws(StreamError) {
        input.append(contentsOf: bytes)
        var position = 0
        while try step(&position) {}
        input.removeFirst(position)
    }

    /// Reads the next line or value. Returns false if it is not complete.
    private func step(_ position: inout Int) throws(StreamError) -> Bool {
        if let head {
            let end = position + head.count
            guard input.count >= end + 2 else { return false }
            guard input[end] == 0x0D, input[end + 1] == 0x0A else { throw Self.invalidResponse }
            values[head.key] = StoredValue(text: Array(input[position..<end]), version: head.version)
            self.head = nil
            position = end + 2
            return true
        }
        guard position < input.count else { return false }
        // More than was requested.
        guard completedParts < partCount else { throw Self.invalidResponse }
        guard let end = input[position...].prefix(Self.longestLine).firstIndex(of: 0x0A) else {
            guard input.count - position < Self.longestLine else { throw Self.invalidResponse }
            return false
        }
        guard end > position, input[end - 1] == 0x0D else { throw Self.invalidResponse }
        let line = input[position..<(end - 1)]
        position = end + 1
        try read(line)
        return true
    }

    private func read(_ line: ArraySlice<UInt8>) throws(StreamError) {
        let words = line.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
        let first = String(decoding: words[0], as: UTF8.self)
        switch first {
        case "END" where words.count == 1 && wanted != nil:
            completedParts += 1
            size = 0
        case "VALUE" where words.count == 5: head = try readHead(words)
        case "ERROR", "CLIENT_ERROR", "SERVER_ERROR":
            refusal = Self.refusal(first, String(decoding: line.dropFirst(words[0].count + 1), as: UTF8.self))
            throw Self.invalidResponse
        default:
            guard wanted == nil, words.count == 1, let word = Word(rawValue: first) else { throw Self.invalidResponse }
            self.word = word
            completedParts += 1
        }
    }

    /// Reads `VALUE <key> <flags> <bytes> <version>`.
    private func readHead(_ words: [ArraySlice<UInt8>]) throws(StreamError) -> Head {
        guard let key = wanted?.remove(String(decoding: words[1], as: UTF8.self)), Self.number(words[2]) != nil,
            let count = Self.number(words[3]), let version = Self.number(words[4])
        else { throw Self.invalidResponse }
        guard count <= Self.sizeLimit - size else { throw StreamError(.invalidResponse, "the response is too large") }
        size += Int(count)
        return Head(key: key, count: Int(count), version: version)
    }

    /// A number without a sign, or nil if it is invalid or too large.
    private static func number(_ digits: ArraySlice<UInt8>) -> UInt64? {
        guard 1...20 ~= digits.count else { return nil }
        var number: UInt64 = 0
        for digit in digits {
            guard UInt8(ascii: "0")...UInt8(ascii: "9") ~= digit else { return nil }
            let (tens, overflow) = number.multipliedReportingOverflow(by: 10)
            let (sum, carry) = tens.addingReportingOverflow(UInt64(digit - UInt8(ascii: "0")))
            guard !overflow, !carry else { return nil }
            number = sum
        }
        return number
    }

    /// Converts an error. Its text is omitted, because a proxy may put a key into it.
    private static func refusal(_ word: String, _ text: String) -> Refusal {
        switch (word, text) {
        case ("SERVER_ERROR", "object too large for cache"): .tooLarge
        case ("SERVER_ERROR", _) where text.hasPrefix("out of memory"): .full
        case (_, "Too many open connections"): .tooManyConnections
        case ("CLIENT_ERROR", _) where text.hasPrefix("unauthenticated"): .unauthenticated
        default: .other(word)
        }
    }
}

/// A value and its version, which changes with each write.
package struct StoredValue: Equatable {
    package let text: [UInt8]
    package let version: UInt64

    package init(text: [UInt8], version: UInt64) {
        self.text = text
        self.version = version
    }
}
