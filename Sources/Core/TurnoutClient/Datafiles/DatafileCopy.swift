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
