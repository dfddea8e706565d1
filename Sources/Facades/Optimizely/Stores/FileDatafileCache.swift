package import Foundation
package import TurnoutClient

/// Stores each datafile in a file of its own, named after its key.
///
/// A file without validators, written by another program, is also read.
package struct FileDatafileCache: DatafileCache {
    private let directory: URL
    private let earlier: URL?

    /// Creates a cache. The directory is created with the first datafile.
    ///
    /// - Parameters:
    ///   - directory: The directory.
    ///   - earlier: The directory of an earlier version, whose datafiles are moved when they are needed. Default: nil.
    package init(directory: URL, earlier: URL? = nil) { (self.directory, self.earlier) = (directory, earlier) }

    /// The cached datafile for a key.
    ///
    /// - Throws: The file system's error if the one of an earlier version cannot be moved.
    package func copy(for key: String) throws -> DatafileCopy? {
        let file = file(key)
        if let earlier { try file.takeOver(DataStoreFile<Data>(storeName: key, directory: earlier).url) }
        guard let bytes = file.getItem(forKey: key) as? Data, !bytes.isEmpty else { return nil }
        let record = DatafileRecord(bytes: bytes)
        return DatafileCopy(
            datafile: Array(record.body), lastModified: record.lastModified, entityTag: record.entityTag)
    }

    package func keep(_ copy: DatafileCopy, for key: String) {
        let record = DatafileRecord(
            body: Data(copy.datafile), lastModified: copy.lastModified, entityTag: copy.entityTag)
        file(key).saveItem(forKey: key, value: record.bytes)
    }

    package func forget(_ key: String) { file(key).removeItem(forKey: key) }

    private func file(_ key: String) -> DataStoreFile<Data> {
        DataStoreFile(storeName: key, async: false, directory: directory)
    }
}
