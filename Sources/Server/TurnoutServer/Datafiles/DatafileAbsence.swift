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
