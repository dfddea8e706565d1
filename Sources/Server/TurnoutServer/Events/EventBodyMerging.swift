import TurnoutEngine

/// Joins consecutive bodies that differ only in their visitors, so that a receiver gets fewer requests.
///
/// The server's own decisions append a body for each event, with the same members around the visitors. Visitors are
/// copied as they are. A body that cannot be joined is sent as it came, apart from what is no JSON (`repairedJSON`):
/// the receiver could refuse all of it for that.
package struct EventBodyMerging: Sendable {
    /// The maximum size of a joined body in bytes. Default: 1 MB; the vendor accepts 3.5 MB.
    package var maximumSize = 1_000_000

    package init() {}

    /// The bodies to send for bodies of the log, in their order.
    package func merged(_ bodies: [[UInt8]]) -> [[UInt8]] {
        var merged: [[UInt8]] = []
        var current: Parts?
        for body in bodies {
            guard let parts = Parts(body) else {
                if let current { merged.append(current.body) }
                current = nil
                merged.append(body.repairedJSON ?? body)
                continue
            }
            if let joined = current?.joined(parts, maximumSize) {
                current = joined
            } else {
                if let current { merged.append(current.body) }
                current = parts
            }
        }
        if let current { merged.append(current.body) }
        return merged
    }

    /// A body in pieces: everything up to the list of visitors, the visitors, and the rest.
    private struct Parts {
        let head: [UInt8]
        var visitors: [UInt8]
        let tail: [UInt8]

        /// Divides a body; nil if it has no visitors, or several lists of them.
        init?(_ body: [UInt8]) {
            var range: Range<Int>?
            let isDivisible = body.withUnsafeBufferPointer { bytes in
                do throws(JSONError) {
                    return try JSONReader.read(bytes) { (reader) throws(JSONError) in
                        var (isFirst, lists) = (true, 0)
                        try reader.enterObject()
                        while let (key, _) = try reader.nextKeyWithRange(isFirst: &isFirst) {
                            guard key == "visitors" else {
                                try reader.skipValue()
                                continue
                            }
                            guard reader.peek() == UInt8(ascii: "[") else { return false }
                            let start = reader.offset + 1
                            var isFirstVisitor = true
                            var (end, count) = (start, 0)
                            try reader.enterArray()
                            while try reader.nextElement(isFirst: &isFirstVisitor) {
                                try reader.skipValue()
                                end = reader.offset
                                count += 1
                            }
                            range = start..<end
                            lists += 1
                            if count == 0 { return false }
                        }
                        return lists == 1
                    }
                } catch { return false }
            }
            guard isDivisible, let range else { return nil }
            head = Array(body[..<range.lowerBound])
            visitors = Array(body[range])
            tail = Array(body[range.upperBound...])
        }

        var body: [UInt8] { head + visitors + tail }

        /// Both bodies as one; nil if they cannot be joined.
        func joined(_ other: Parts, _ maximumSize: Int) -> Parts? {
            guard head.count + visitors.count + other.visitors.count + tail.count < maximumSize, head == other.head,
                tail == other.tail
            else { return nil }
            var joined = self
            joined.visitors.append(UInt8(ascii: ","))
            joined.visitors += other.visitors
            return joined
        }
    }
}
