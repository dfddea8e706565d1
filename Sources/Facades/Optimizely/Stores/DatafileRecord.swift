import Foundation
import TurnoutClient

/// A datafile together with its validators (`Last-Modified` and `ETag`). They are stored as one unit: a new datafile
/// with an old validator would never be updated again.
///
/// The serialized form is the datafile, preceded by mail-style header lines, `Last-Modified: …` and `ETag: …`, and an
/// empty line. Without validators there is no header, so files written by the vendor's client, which stores the bare
/// datafile, can be read.
struct DatafileRecord: Equatable {
    var body: Data
    var lastModified: String?
    var entityTag: String?

    init(body: Data, lastModified: String? = nil, entityTag: String? = nil) {
        self.body = body
        self.lastModified = lastModified
        self.entityTag = entityTag
    }

    private static let lastModifiedName = "Last-Modified: "
    private static let entityTagName = "ETag: "

    /// Reads a record. Never fails: bytes that do not begin with a header line are a bare datafile.
    init(bytes: Data) {
        self.init(body: bytes)
        guard bytes.starts(with: Self.lastModifiedName.utf8) || bytes.starts(with: Self.entityTagName.utf8) else {
            return
        }
        var rest = bytes
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
            let line = String(decoding: rest[..<end], as: UTF8.self)
            rest = rest[rest.index(after: end)...]
            if line.isEmpty { break }
            if line.hasPrefix(Self.lastModifiedName) {
                lastModified = String(line.dropFirst(Self.lastModifiedName.count))
            } else if line.hasPrefix(Self.entityTagName) {
                entityTag = String(line.dropFirst(Self.entityTagName.count))
            }
        }
        // A copy, because callers expect data whose indices start at 0.
        body = Data(rest)
    }

    var bytes: Data {
        var head = ""
        for (name, value) in [(Self.lastModifiedName, lastModified), (Self.entityTagName, entityTag)] {
            guard let value, !value.contains(where: \.isNewline) else { continue }
            head += name + value + "\n"
        }
        return head.isEmpty ? body : Data((head + "\n").utf8) + body
    }
}
