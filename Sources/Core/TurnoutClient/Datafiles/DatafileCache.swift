/// Keeps the last good datafile, for starts without a network.
///
/// A datafile and its validators are one record: a new datafile with the old one's date would never be updated again.
public protocol DatafileCache: Sendable {
    /// The copy that is kept for a key, or nil: there is none.
    ///
    /// - Throws: Anything, if it could not be read. It then counts as none.
    func copy(for key: String) throws -> DatafileCopy?
    /// Keeps a copy in place of what was kept for a key: all of it, or nothing.
    ///
    /// - Throws: Anything, if it could not be stored. The earlier copy stays.
    func keep(_ copy: DatafileCopy, for key: String) throws
    /// Forgets the copy of a key; without one it does nothing.
    func forget(_ key: String) throws
}

/// A datafile, and what its server called this version of it.
public struct DatafileCopy: Sendable, Equatable {
    /// The datafile.
    public var datafile: [UInt8]
    /// The server's `Last-Modified`, as it was. Default: none.
    public var lastModified: String?
    /// The server's `ETag`, as it was. Default: none.
    public var entityTag: String?

    /// Creates a copy.
    public init(datafile: [UInt8], lastModified: String? = nil, entityTag: String? = nil) {
        self.datafile = datafile
        self.lastModified = lastModified
        self.entityTag = entityTag
    }
}

extension DatafileCopy {
    /// Takes over what a server hands out, with what it calls this version of it.
    package init(_ response: HTTPResponse) {
        // What can be sent back to the server as it is.
        func validator(_ name: String) -> String? {
            response.headers[name].flatMap { text in
                !text.isEmpty && text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F } ? text : nil
            }
        }
        self.init(
            datafile: response.body, lastModified: validator("last-modified"), entityTag: validator("etag"))
    }

    /// The headers that ask a server for anything but this version.
    package var conditions: [String: String] {
        var headers: [String: String] = [:]
        if let lastModified { headers["If-Modified-Since"] = lastModified }
        if let entityTag { headers["If-None-Match"] = entityTag }
        return headers
    }
}

/// Keeps datafiles as long as the process runs.
public final class MemoryDatafileCache: DatafileCache {
    private let copies = Locked<[String: DatafileCopy]>([:])

    /// Creates an empty cache.
    public init() {}

    /// The copy that is kept for a key.
    public func copy(for key: String) -> DatafileCopy? { copies.withLock { $0[key] } }
    /// Keeps a copy.
    public func keep(_ copy: DatafileCopy, for key: String) { copies.withLock { $0[key] = copy } }
    /// Forgets a copy.
    public func forget(_ key: String) { copies.withLock { $0[key] = nil } }
}

extension DatafileCache where Self == MemoryDatafileCache {
    /// In memory.
    public static var memory: MemoryDatafileCache { MemoryDatafileCache() }
}
