import TurnoutClient
import TurnoutEngine

/// Removes users from the bodies of requests with events.
///
/// A body keeps its length: spaces take the place of what is removed, so the offsets of a log's readers stay valid.
package struct EventErasure: Sendable {
    /// What is left of a body.
    package enum Outcome: Sendable, Equatable {
        /// All of it: the users are not in it.
        case unchanged
        /// The body without the users.
        case changed([UInt8])
        case nothing
    }

    private let users: Set<ByteKey>

    /// Creates the removal of some users.
    package init(of users: [String]) { self.users = Set(users.map(ByteKey.init)) }

    /// Removes the users from a body.
    ///
    /// A body that cannot be read does not say whose events it has; nor does one without `visitors`. Nothing of it is
    /// left if it contains one of the ids; it cannot be processed anyway.
    ///
    /// - Complexity: O(*n*) in the length of the body.
    package func outcome(for body: [UInt8]) -> Outcome {
        var scan = VisitorScan(users: users)
        let isReadable = body.withUnsafeBufferPointer { bytes in
            do throws(JSONError) {
                try JSONReader.read(bytes, limits: EventBatchParser.limits) { (reader) throws(JSONError) in
                    try scan.readBatch(&reader)
                }
                return true
            } catch { return false }
        }
        guard isReadable, !scan.lists.isEmpty else { return mentionsUser(body) ? .nothing : .unchanged }
        guard scan.lists.contains(where: { $0.removed > 0 }) else { return .unchanged }
        return scan.lists.allSatisfy(\.kept.isEmpty) ? .nothing : .changed(scan.remains(of: body))
    }

    private func mentionsUser(_ body: [UInt8]) -> Bool {
        users.contains { user in
            // Without the quotation marks, which may be the mistake.
            let escaped = JSONValue.string(user.text).compactText.utf8.dropFirst().dropLast()
            return body.contains(Array(escaped)) || body.contains(Array(user.text.utf8))
        }
    }

    /// Finds the lists of visitors in a body.
    private struct VisitorScan {
        struct List {
            /// The bytes between the brackets.
            var content: Range<Int>
            var kept: [Range<Int>] = []
            /// The number of elements that are removed.
            var removed = 0
        }

        let users: Set<ByteKey>
        var lists: [List] = []

        mutating func readBatch(_ reader: inout JSONReader) throws(JSONError) {
            var isFirst = true
            try reader.enterObject()
            while let key = try reader.nextKey(isFirst: &isFirst) {
                let isList = key.string == "visitors" && reader.peek() == UInt8(ascii: "[")
                if isList { try readList(&reader) } else { try reader.skipValue() }
            }
        }

        private mutating func readList(_ reader: inout JSONReader) throws(JSONError) {
            var isFirst = true
            var list = List(content: reader.offset + 1..<reader.offset + 1)
            try reader.enterArray()
            while try reader.nextElement(isFirst: &isFirst) {
                let isObject = reader.peek() == UInt8(ascii: "{")
                let start = reader.offset
                let isKept: Bool
                if isObject {
                    isKept = try !isForgotten(&reader)
                } else {
                    isKept = true
                    try reader.skipValue()
                }
                if isKept { list.kept.append(start..<reader.offset) } else { list.removed += 1 }
            }
            list.content = list.content.lowerBound..<reader.offset - 1
            lists.append(list)
        }

        /// Reads a visitor. Returns whether it is one of the users.
        private func isForgotten(_ reader: inout JSONReader) throws(JSONError) -> Bool {
            var (isFirst, isFound) = (true, false)
            try reader.enterObject()
            while let key = try reader.nextKey(isFirst: &isFirst) {
                guard key.string == "visitor_id" else {
                    try reader.skipValue()
                    continue
                }
                switch reader.peek() {
                case UInt8(ascii: "\""): isFound = try users.contains(ByteKey(reader.readString().string)) || isFound
                case UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: "n"): try reader.skipValue()
                // Processing takes a number or a Boolean as it is written.
                default: isFound = try users.contains(ByteKey(reader.readLiteralText())) || isFound
                }
            }
            return isFound
        }

        /// A body without the removed elements.
        func remains(of body: [UInt8]) -> [UInt8] {
            var rest = body
            for list in lists where list.removed > 0 {
                var content: [UInt8] = []
                content.reserveCapacity(list.content.count)
                for element in list.kept {
                    if !content.isEmpty { content.append(UInt8(ascii: ",")) }
                    content += body[element]
                }
                content += [UInt8](repeating: UInt8(ascii: " "), count: list.content.count - content.count)
                rest.replaceSubrange(list.content, with: content)
            }
            return rest
        }
    }
}
