package import TurnoutEngine

/// A datafile that the server serves, parsed once, with everything that its responses need.
package struct ServedDatafile: Sendable {
    /// The SDK key that it is served for.
    package let sdkKey: String
    package let content: SharedBody
    /// The datafile, compressed once with gzip; nil if there is no compression.
    package let compressed: SharedBody?
    /// The entity tag, with its quotation marks. It depends on the content alone.
    package let entityTag: String
    /// When it was published, in milliseconds since 1970.
    let publishedAt: Int64
    /// The time of the last change in whole seconds since 1970. Each change makes it later by at least a second,
    /// because some clients compare only this.
    package let lastModified: Int64
    /// ``lastModified`` as a header.
    let lastModifiedDate: String
    package let project: Project
}

/// Why there is no datafile for an SDK key.
package enum DatafileAbsence: Error, Sendable, Equatable {
    /// The key does not exist, as far as this server or its upstream knows.
    case unknownKey
    /// Upstream cannot be reached, or has sent nothing usable; ask again after this time.
    case unavailable(retryAfter: Duration)

    /// The response to a request that needs the datafile.
    package var response: ServerResponse {
        switch self {
        case .unknownKey:
            // Clients understand this status as "unknown SDK key", and some of them then stop for good.
            return .error(403, "unknown SDK key")
        case .unavailable(let time):
            var response = ServerResponse.error(503, "the datafile cannot be loaded now")
            response.headers["Retry-After"] = "\(max(1, Int64((time / .seconds(1)).rounded(.up))))"
            return response
        }
    }
}
