import Dispatch
public import Foundation
import TurnoutClient

/// Stores one value in a file that only the process's user can read. Keys are ignored.
///
/// A file that cannot be read counts as missing. A damaged file is renamed, with `.damaged` appended, so that its
/// contents are not lost.
open class DataStoreFile<T>: OPTDataStore where T: Codable {
    /// The file.
    public let url: URL
    private let isAsync: Bool
    private let queue: DispatchQueue

    /// Creates a store in the default directory; the file is created with the first value.
    ///
    /// - Parameters:
    ///   - storeName: The name of the file. Characters that file names cannot contain are escaped.
    ///   - async: Whether saving returns before the value is written. Reading waits for pending writes. Default:
    ///     `true`.
    public init(storeName: String, async: Bool = true) {
        // A separate initializer without the directory, because subclasses override this one.
        url = Self.url(of: storeName, in: StoreDirectory.standard)
        isAsync = async
        queue = DispatchQueue(label: "turnout.store." + storeName)
    }

    /// Creates a store in a directory; directory and file are created with the first value.
    ///
    /// - Parameters:
    ///   - storeName: The name of the file. Characters that file names cannot contain are escaped.
    ///   - async: Whether saving returns before the value is written. Reading waits for pending writes. Default:
    ///     `true`.
    ///   - directory: The directory of the file; nil means the default directory.
    public init(storeName: String, async: Bool = true, directory: URL?) {
        url = Self.url(of: storeName, in: directory ?? StoreDirectory.standard)
        isAsync = async
        queue = DispatchQueue(label: "turnout.store." + storeName)
    }

    private static func url(of storeName: String, in directory: URL) -> URL {
        directory.appending(path: StoreDirectory.fileName(for: storeName), directoryHint: .notDirectory)
    }

    // MARK: Values

    /// Returns the value, or nil if there is none or it cannot be read. The key is ignored.
    public func getItem(forKey: String) -> Any? {
        queue.sync { read() }
    }

    /// The size of the file in bytes; 0 if there is none. Includes pending writes.
    var size: Int {
        queue.sync { (try? url.resourceValues(forKeys: [.fileSizeKey]).fileSize) ?? 0 }
    }

    /// Stores a value. The key is ignored. A value that is not a `T` is refused, with an error in the log.
    public func saveItem(forKey: String, value: Any) {
        guard let data = StoredFile<T>.encode(value) else {
            return OPTLoggerFactory.log(.error, "\(name): the value is not stored, because it is not a \(T.self)")
        }
        perform("the value is kept in memory at most, and the next start does not have it") { try $0.writeData(data) }
    }

    /// Removes the file. The key is ignored.
    public func removeItem(forKey: String) {
        perform("the value stays there") { store in
            guard FileManager.default.fileExists(atPath: store.url.path) else { return }
            try FileManager.default.removeItem(at: store.url)
        }
    }

    private func perform(_ consequence: String, _ body: @escaping (DataStoreFile<T>) throws -> Void) {
        // A work item, because `async` requires a `Sendable` closure, and this class is not `Sendable`, so that
        // subclasses need not be.
        let work = DispatchWorkItem {
            do { try body(self) } catch { self.report(error, consequence) }
        }
        if isAsync { queue.async(execute: work) } else { queue.sync(execute: work) }
    }

    private func read() -> T? {
        do {
            let data = try readData()
            if let value = StoredFile<T>.decode(data) { return value }
            OPTLoggerFactory.log(.error, "\(name): the file is damaged; it is renamed to .damaged, and counts as empty")
            quarantine()
        } catch CocoaError.fileReadNoSuchFile { return nil } catch { report(error, "it counts as empty") }
        return nil
    }

    private func quarantine() {
        let place = url.appendingPathExtension("damaged")
        try? FileManager.default.removeItem(at: place)
        try? FileManager.default.moveItem(at: url, to: place)
    }

    private func report(_ error: any Error, _ consequence: String) {
        // Not the error's description, which contains the file name.
        let error = error as NSError
        let cause = error.userInfo[NSUnderlyingErrorKey] as? NSError
        let text = cause.map { $0.domain == NSPOSIXErrorDomain ? String(cString: strerror(Int32($0.code))) : $0.domain }
        OPTLoggerFactory.log(
            .error, "\(name): \(text ?? "the file cannot be used") (\(error.domain) \(error.code)); \(consequence)")
    }

    /// The path for the log. The name may be an SDK key, so it is shortened.
    private var name: String {
        url.deletingLastPathComponent().path + "/" + url.lastPathComponent.shortenedKey
    }

    /// Moves the file of an earlier version to this place, unless there is one. A folder of that name belongs to a
    /// program.
    func takeOver(_ earlier: URL) throws {
        let manager = FileManager.default
        var isFolder: ObjCBool = false
        guard size == 0, manager.fileExists(atPath: earlier.path, isDirectory: &isFolder), !isFolder.boolValue else {
            return
        }
        do {
            try manager.createDirectory(
                at: url.deletingLastPathComponent(), withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700])
            try manager.moveItem(at: earlier, to: url)
        } catch {
            // Another thread or process may have been faster.
            if size == 0 { throw error }
        }
    }

    // MARK: Bytes

    /// Reads the file.
    ///
    /// - Throws: The file system's error, including for a missing file.
    open func readData() throws -> Data { try Data(contentsOf: url) }

    /// Writes the file atomically.
    ///
    /// - Throws: The file system's error.
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

/// The encoding of a value in a file: data as it is, an array as JSON, any other value as a JSON array of one element.
enum StoredFile<T: Codable> {
    /// The bytes of a value, or nil if it is not a `T` or cannot be encoded.
    static func encode(_ value: Any) -> Data? {
        guard let value = value as? T else { return nil }
        if let data = value as? Data { return data }
        return T.self is any StoredList.Type ? try? JSONEncoder().encode(value) : try? JSONEncoder().encode([value])
    }

    /// The value in these bytes, or nil if they are damaged.
    static func decode(_ data: Data) -> T? {
        if let data = data as? T { return data }
        guard !(T.self is any StoredList.Type) else { return try? JSONDecoder().decode(T.self, from: data) }
        return (try? JSONDecoder().decode([T].self, from: data))?.first
    }
}

private protocol StoredList {}
extension Array: StoredList {}
