import TurnoutClient

/// Where a configuration comes from.
enum RolloutOrigin: Sendable {
    case file(String)
    case server(String, any Transport)

    /// The newest contents, or nil: they are those of the kept copy.
    func newest(than kept: DatafileCopy?, _ options: RolloutSourceOptions) async throws -> DatafileCopy? {
        switch self {
        case .file(let path):
            let copy = DatafileCopy(datafile: try RolloutSourceError.contents(ofFile: path))
            return copy == kept ? nil : copy
        case .server(let url, let transport):
            let request = HTTPRequest(.get, url, headers: kept?.conditions ?? [:], deadline: options.deadline)
            let response = try await transport.send(request)
            switch response.status {
            case 200:
                let copy = DatafileCopy(response)
                return copy == kept ? nil : copy
            case 304 where kept != nil: return nil
            case 304: throw RolloutSourceError.unchangedSinceNothing
            default: throw RolloutSourceError.status(response.status, retryAfter: response.retryAfter)
            }
        }
    }
}
