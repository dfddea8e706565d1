import Dispatch
public import Foundation

/// Keeps one value in a file that only the user of the process can read. Keys do not matter.
///
/// A file that cannot be read counts as none. One with damaged contents is kept beside the new one, with `.damaged` at
/// the end of its name, so that nothing is lost for good.
open class DataStoreFile<T>: OPTDataStore where T: Codable {
    /// The file.
    public let url: URL
    private let isAsync: Bool
    private let queue: DispatchQueue

    /// Creates a store in the system's place for such files; the file comes with the first value.
    ///
    /// - Parameters:
    ///   - storeName: The name of the file. Characters that names of files cannot have are replaced.
    ///   - async: Whether saving returns before the value is written. Reading waits for it. Default: `true`.
    public init(storeName: String, async: Bool = true) {
        // Not one initializer with a default directory: subclasses override this one.
        url = Self.url(of: storeName, in: StoreDirectory.standard)
        isAsync = async
        queue = DispatchQueue(label: "turnout.store." + storeName)
    }

    /// Creates a store in a directory, which is created, too; the file comes with the first value.
    ///
    /// - Parameters:
    ///   - storeName: The name of the file. Characters that names of files cannot have are replaced.
    ///   - async: Whether saving returns before the value is written. Reading waits for it. Default: `true`.
    ///   - directory: Where the file lies; nil: in the system's place for such files.
    public init(storeName: String, async: Bool = true, directory: URL?) {
        url = Self.url(of: storeName, in: directory ?? StoreDirectory.standard)
        isAsync = async
        queue = DispatchQueue(label: "turnout.store." + storeName)
    }

    private static func url(of storeName: String, in directory: URL) -> URL {
        directory.appending(path: StoreDirectory.fileName(for: storeName), directoryHint: .notDirectory)
    }

    // MARK: Values

    /// The value, or nil: there is none, or it cannot be read. The key does not matter.
    public func getItem(forKey: String) -> Any? {
        queue.sync { read() }
    }

    /// Writes a value. The key does not matter. One that is no `T` is refused, with an error in the log.
    public func saveItem(forKey: String, value: Any) {
        guard let data = StoredFile<T>.encode(value) else {
            return OPTLoggerFactory.log(.error, "A value cannot be kept in its file: wrong type.")
        }
        perform { try $0.writeData(data) }
    }

    /// Removes the file. The key does not matter.
    public func removeItem(forKey: String) {
        perform { store in
            guard FileManager.default.fileExists(atPath: store.url.path) else { return }
            try FileManager.default.removeItem(at: store.url)
        }
    }

    private func perform(_ body: @escaping (DataStoreFile<T>) throws -> Void) {
        // A work item, because a plain closure must be sendable: this class is not, so that subclasses need not say so.
        let work = DispatchWorkItem {
            do { try body(self) } catch { self.report(error) }
        }
        if isAsync { queue.async(execute: work) } else { queue.sync(execute: work) }
    }

    private func read() -> T? {
        do {
            let data = try readData()
            if let value = StoredFile<T>.decode(data) { return value }
            OPTLoggerFactory.log(.error, "A stored file is damaged; it counts as empty.")
            setAside()
        } catch CocoaError.fileReadNoSuchFile { return nil } catch { report(error) }
        return nil
    }

    private func setAside() {
        let place = url.appendingPathExtension("damaged")
        try? FileManager.default.removeItem(at: place)
        try? FileManager.default.moveItem(at: url, to: place)
    }

    private func report(_ error: any Error) {
        // Names of files hold SDK keys, which do not belong in a log; they are part of what errors print.
        let error = error as NSError
        OPTLoggerFactory.log(.error, "A file cannot be read or written (\(error.domain) \(error.code)).")
    }

    // MARK: Bytes

    /// Reads the file.
    ///
    /// - Throws: What the file system says, a missing file included.
    open func readData() throws -> Data { try Data(contentsOf: url) }

    /// Writes the file: all of it, or nothing.
    ///
    /// - Throws: What the file system says.
    open func writeData(_ data: Data) throws {
        let directory = url.deletingLastPathComponent()
        if !FileManager.default.fileExists(atPath: directory.path) {
            try FileManager.default.createDirectory(
                at: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        }
        try data.write(to: url, options: .atomic)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: url.path)
    }
}
