import TurnoutClient

/// The routes that serve datafiles, as the vendor's network does.
package struct DatafileRoutes: Sendable {
    private let directory: DatafileDirectory
    private let tokens: DatafileTokens
    private let upstream: UpstreamDatafiles?
    private let streams: FlagChangeStreams

    /// Creates the routes.
    ///
    /// - Parameters:
    ///   - directory: The datafiles.
    ///   - tokens: The access tokens of SDK keys.
    ///   - upstream: Downloads datafiles of keys that the directory lacks. Default: nil.
    ///   - changes: The streams of changes.
    package init(
        _ directory: DatafileDirectory, tokens: DatafileTokens, upstream: UpstreamDatafiles? = nil,
        changes: FlagChangeStreams
    ) {
        self.directory = directory
        self.tokens = tokens
        self.upstream = upstream
        streams = changes
    }

    package var all: [Route] {
        [
            Route("GET", "/datafiles/{sdkKey}.json", "the datafile of an SDK key") { request in
                answer(request.parameters[0], request.head, token: nil)
            },
            Route("GET", "/datafiles/auth/{sdkKey}.json", "the datafile of an SDK key, for a token") { request in
                answer(request.parameters[0], request.head, token: request.head.bearerToken ?? "")
            },
            Route("GET", "/datafiles/{sdkKey}/changes", "a stream of the changes of a datafile") { request in
                changes(request.parameters[0], request.head)
            },
            Route("GET", "/datafiles/auth/{sdkKey}/changes", "a stream of the changes of a datafile, for a token") {
                changes($0.parameters[0], $0.head)
            },
            Route("GET", "/json/{projectID}.json", "the datafile of a project, for older clients") { request in
                .now(project(request.parameters[0], request.head))
            },
        ]
    }

    private func answer(_ sdkKey: String, _ head: RequestHead, token: String?) -> Answer {
        guard tokens.allow(sdkKey, token: token) else { return .now(Self.forbidden) }
        if let datafile = directory[sdkKey] {
            upstream?.touch(sdkKey)
            return .now(datafile.response(to: head))
        }
        guard let upstream else { return .now(Self.forbidden) }
        return .later {
            do throws(DatafileAbsence) { return try await upstream.datafile(sdkKey).response(to: head) } catch {
                return error.response
            }
        }
    }

    private func changes(_ sdkKey: String, _ head: RequestHead) -> Answer {
        guard tokens.allow(sdkKey, token: head.bearerToken) else { return .now(Self.forbidden) }
        if directory[sdkKey] != nil { return .now(streams.open(sdkKey, head)) }
        guard let upstream else { return .now(Self.forbidden) }
        return .later { [streams] in await upstream.load(sdkKey)?.response ?? streams.open(sdkKey, head) }
    }

    /// Older clients name a project and no environment; see ``DatafileDirectory/datafile(ofProject:)``.
    private func project(_ projectID: String, _ head: RequestHead) -> ServerResponse {
        guard let datafile = directory.datafile(ofProject: projectID), tokens.allow(datafile.sdkKey, token: nil) else {
            return Self.forbidden
        }
        return datafile.response(to: head)
    }

    private static let forbidden = DatafileAbsence.unknownKey.response
}

extension ServedDatafile {
    /// The datafile, or 304 if the client has it. `If-None-Match` takes precedence over `If-Modified-Since`
    /// (RFC 9110, 13.2.2).
    package func response(to head: RequestHead) -> ServerResponse {
        let compressed = head.acceptsGzip ? compressed : nil
        var headers: HeaderFields = [
            "Content-Type": "application/json", "ETag": entityTag, "Last-Modified": lastModifiedDate,
            "Cache-Control": "no-cache", "Vary": "Accept-Encoding",
        ]
        if EntityTag.isCurrent(head, entityTag, lastModified: lastModified) {
            return ServerResponse(304, headers: headers)
        }
        if compressed != nil { headers.append("Content-Encoding", "gzip") }
        return ServerResponse(200, headers: headers, body: .shared(compressed ?? content))
    }
}

extension RequestHead {
    /// Whether the client accepts content that is compressed with gzip. What it says of gzip takes precedence over `*`
    /// (RFC 9110, 12.5.3).
    package var acceptsGzip: Bool {
        var acceptsOthers = false
        for coding in headers.values("Accept-Encoding").flatMap({ $0.lowercased().split(separator: ",") }) {
            let parts = coding.filter { $0 != " " && $0 != "\t" }.split(separator: ";")
            let isAccepted = !parts.dropFirst().contains { ["q=0", "q=0.0", "q=0.00", "q=0.000"].contains($0) }
            if parts.first == "gzip" { return isAccepted }
            if parts.first == "*" { acceptsOthers = isAccepted }
        }
        return acceptsOthers
    }
}

/// The access tokens of SDK keys. A key with tokens is available only with one of them.
package struct DatafileTokens: Sendable {
    private let tokens: [String: [String]]

    /// Creates a table of the tokens of each key. Default: none, all keys are public.
    package init(_ tokens: [String: [String]] = [:]) { self.tokens = tokens }

    /// Reads pairs such as `key:token`.
    package init(pairs: [String]) {
        var tokens: [String: [String]] = [:]
        for pair in pairs {
            let parts = pair.split(separator: ":", maxSplits: 1).map(String.init)
            if parts.count == 2 { tokens[parts[0], default: []].append(parts[1]) }
        }
        self.init(tokens)
    }

    /// Whether a key has tokens.
    func isProtected(_ sdkKey: String) -> Bool { tokens[sdkKey] != nil }

    /// Whether a request may see the datafile of a key.
    package func allow(_ sdkKey: String, token: String?) -> Bool {
        guard let known = tokens[sdkKey] else { return true }
        guard let token else { return false }
        // Compares all of them in full, so that the time tells nothing about them.
        return known.reduce(false) { $1.hasSameBytes(as: token) || $0 }
    }
}

extension String {
    /// Whether two strings have the same bytes, in a time that depends on their lengths alone.
    fileprivate func hasSameBytes(as other: String) -> Bool {
        let (left, right) = (Array(utf8), Array(other.utf8))
        guard left.count == right.count else { return false }
        return zip(left, right).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
