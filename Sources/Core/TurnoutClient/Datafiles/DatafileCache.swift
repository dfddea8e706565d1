/// Keeps the last good datafile, for starts without a network.
///
/// A datafile and its validators are one record: a new datafile with old validators would never be updated again.
///
/// A source reads its copy before the first request, and stores each new one. It calls the cache from any thread;
/// sources that share a cache call it at the same time. After an error, the source logs a warning and works without
/// the copy. `checkDatafileCache` of `TurnoutTestKit` checks what a cache has to guarantee.
public protocol DatafileCache: Sendable {
    /// The cached copy for a key, or nil if there is none.
    ///
    /// - Throws: Any error, if it could not be read. It then counts as missing.
    func copy(for key: String) throws -> DatafileCopy?
    /// Atomically replaces the cached copy for a key.
    ///
    /// - Throws: Any error, if it could not be stored. The earlier copy stays.
    func keep(_ copy: DatafileCopy, for key: String) throws
    /// Removes the copy for a key, if any.
    func forget(_ key: String) throws
}

/// Keeps datafiles for the lifetime of the process.
public final class MemoryDatafileCache: DatafileCache {
    private let copies = Locked<[String: DatafileCopy]>([:])

    /// Creates an empty cache.
    public init() {}

    /// The cached copy for a key.
    public func copy(for key: String) -> DatafileCopy? { copies.withLock { $0[key] } }
    /// Caches a copy.
    public func keep(_ copy: DatafileCopy, for key: String) { copies.withLock { $0[key] = copy } }
    /// Removes a copy.
    public func forget(_ key: String) { copies.withLock { $0[key] = nil } }
}

extension DatafileCache where Self == MemoryDatafileCache {
    /// Creates a cache in memory.
    public static var memory: MemoryDatafileCache { MemoryDatafileCache() }
}

/// A datafile with the validators that its server sent.
public struct DatafileCopy: Sendable, Equatable {
    /// The datafile.
    public var datafile: [UInt8]
    /// The server's `Last-Modified`, verbatim. Default: nil.
    public var lastModified: String?
    /// The server's `ETag`, verbatim. Default: nil.
    public var entityTag: String?

    /// Creates a copy.
    public init(datafile: [UInt8], lastModified: String? = nil, entityTag: String? = nil) {
        self.datafile = datafile
        self.lastModified = lastModified
        self.entityTag = entityTag
    }
}

extension DatafileCopy {
    /// Creates a copy from a server's response and its validators.
    package init(_ response: HTTPResponse) {
        // Only values that can be sent back to the server verbatim.
        func validator(_ name: String) -> String? {
            response.headers[name].flatMap { text in
                !text.isEmpty && text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F } ? text : nil
            }
        }
        self.init(
            datafile: response.body, lastModified: validator("last-modified"), entityTag: validator("etag"))
    }

    /// The headers that request any version but this one.
    package var conditions: [String: String] {
        var headers: [String: String] = [:]
        if let lastModified { headers["If-Modified-Since"] = lastModified }
        if let entityTag { headers["If-None-Match"] = entityTag }
        return headers
    }
}
