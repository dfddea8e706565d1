package import Foundation
package import TurnoutClient

/// A cache of datafiles in data stores.
package protocol DataStoreCache: DatafileCache {
    /// The store for the copy with a key.
    func store(for key: String) throws -> any OPTDataStore
}

extension DataStoreCache {
    package func copy(for key: String) throws -> DatafileCopy? {
        guard let bytes = try store(for: key).getItem(forKey: key) as? Data, !bytes.isEmpty else { return nil }
        return DatafileCopy(stored: bytes)
    }

    package func keep(_ copy: DatafileCopy, for key: String) throws {
        try store(for: key).saveItem(forKey: key, value: copy.stored)
    }

    package func forget(_ key: String) throws { try store(for: key).removeItem(forKey: key) }
}

/// Stores each datafile in a file of its own, named after its key.
///
/// A file without validators, written by another program, is also read.
package struct FileDatafileCache: DataStoreCache {
    private let directory: URL
    private let earlier: URL?

    /// Creates a cache. The directory is created with the first datafile.
    ///
    /// - Parameters:
    ///   - directory: The directory.
    ///   - earlier: The directory of an earlier version, whose datafiles are moved when they are needed. Default: nil.
    package init(directory: URL, earlier: URL? = nil) { (self.directory, self.earlier) = (directory, earlier) }

    /// The file for a key.
    ///
    /// - Throws: The file system's error if the one of an earlier version cannot be moved.
    package func store(for key: String) throws -> any OPTDataStore {
        let file = DataStoreFile<Data>(storeName: key, async: false, directory: directory)
        if let earlier { try file.takeOver(DataStoreFile<Data>(storeName: key, directory: earlier).url) }
        return file
    }
}

/// The stored form: the datafile, preceded by mail-style header lines, `Last-Modified: …` and `ETag: …`, and an empty
/// line. Without validators there is no header, so files written by the vendor's client, which stores the bare
/// datafile, can be read.
extension DatafileCopy {
    private static let lastModifiedName = "Last-Modified: "
    private static let entityTagName = "ETag: "

    /// Reads a stored copy. Never fails: bytes that do not begin with a header line are a bare datafile.
    init(stored bytes: Data) {
        var (rest, lastModified, entityTag) = (bytes, String?.none, String?.none)
        let hasHeader = [Self.lastModifiedName, Self.entityTagName].contains { bytes.starts(with: $0.utf8) }
        while hasHeader, let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
            let line = String(decoding: rest[..<end], as: UTF8.self)
            rest = rest[rest.index(after: end)...]
            if line.isEmpty { break }
            if line.hasPrefix(Self.lastModifiedName) {
                lastModified = String(line.dropFirst(Self.lastModifiedName.count))
            } else if line.hasPrefix(Self.entityTagName) {
                entityTag = String(line.dropFirst(Self.entityTagName.count))
            }
        }
        self.init(datafile: Array(rest), lastModified: lastModified, entityTag: entityTag)
    }

    var stored: Data {
        var head = ""
        for (name, value) in [(Self.lastModifiedName, lastModified), (Self.entityTagName, entityTag)] {
            guard let value, !value.contains(where: \.isNewline) else { continue }
            head += name + value + "\n"
        }
        return head.isEmpty ? Data(datafile) : Data((head + "\n").utf8) + datafile
    }
}
