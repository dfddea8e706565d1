import Foundation
import TurnoutClient

/// A datafile and what its server called this version of it, in one piece: a new datafile with the old one's date would
/// never be updated again.
///
/// As bytes, it is the datafile itself, with lines as in a mail before it: `Last-Modified: …`, `ETag: …` and an empty
/// one. Without validators there are none; so copies of the vendor's client, which kept the bare datafile, can be read.
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

    /// Reads a record. Never fails: bytes that do not begin with such a line are a bare datafile.
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
        // A copy: a slice begins at another index than callers expect of data.
        body = Data(rest)
    }

    /// The project of the datafile, or nil: it cannot be used.
    var project: Project? { try? Project(datafile: Array(body)) }

    /// The record as bytes.
    var bytes: Data {
        var head = ""
        for (name, value) in [(Self.lastModifiedName, lastModified), (Self.entityTagName, entityTag)] {
            guard let value, !value.contains(where: \.isNewline) else { continue }
            head += name + value + "\n"
        }
        return head.isEmpty ? body : Data((head + "\n").utf8) + body
    }
}
