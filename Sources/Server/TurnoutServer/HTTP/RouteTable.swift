/// A method, a pattern of paths, and the function that answers.
///
/// `{name}` in a pattern stands for one segment of a path, `{name…}` at its end for one or more segments:
///
/// ```swift
/// Route("GET", "/datafiles/{sdkKey}.json") { request in … request.parameters[0] … }
/// ```
package struct Route: Sendable {
    package let method: String
    package let pattern: String
    /// A summary of the route in a short sentence, for `turnout serve --routes` and metrics.
    package let summary: String
    package let bodyLimit: BodyLimit
    /// The end of further paths that belong to the route, letters of ASCII regardless of case; nil: there are none.
    let ending: String?
    /// The requests that the route answers. Default: those of clients.
    package let access: RouteAccess
    package let respond: @Sendable (ServerRequest) -> Answer
    /// The number of the placeholder that stands for the key of a request; nil without one.
    private let keyPlaceholder: Int?

    package init(
        _ method: String, _ pattern: String, _ summary: String, ending: String? = nil, bodyLimit: BodyLimit = .standard,
        access: RouteAccess = .client, respond: @escaping @Sendable (ServerRequest) -> Answer
    ) {
        self.method = method
        self.pattern = pattern
        self.summary = summary
        self.ending = ending
        self.bodyLimit = bodyLimit
        self.access = access
        self.respond = respond
        let names = pattern.split(separator: "{").dropFirst().map { $0.prefix { $0 != "}" && $0 != "…" } }
        keyPlaceholder = names.firstIndex { ["sdkKey", "projectID", "ruleID"].contains($0) }
    }

    /// The key of a request among the values of the placeholders: that of a datafile, a project or a bandit.
    package func key(in parameters: [String]) -> String? { keyPlaceholder.map { parameters[$0] } }
}

/// The routes of a server.
///
/// An ending takes precedence over a path without placeholders, and that over one with placeholders; among those, the
/// earlier route does.
/// `HEAD` is answered as `GET`, without the content. An unknown path is answered with 404, a known one with another
/// method with 405 and the methods it allows.
package struct RouteTable: Sendable {
    /// The beginning of the paths of pages for people. Endings do not count there, because people choose the names of
    /// flags.
    static let console = "/console/"

    /// All routes, in their order.
    package let routes: [Route]
    private let exact: [String: [Int]]
    private let patterns: [(pattern: PathPattern, index: Int)]
    private let endings: [(text: String, index: Int)]

    package init(_ routes: [Route]) {
        self.routes = routes
        var exact: [String: [Int]] = [:]
        var patterns: [(PathPattern, Int)] = []
        for (index, route) in routes.enumerated() {
            if route.pattern.contains("{") {
                patterns.append((PathPattern(route.pattern), index))
            } else {
                exact[route.pattern, default: []].append(index)
            }
        }
        (self.exact, self.patterns) = (exact, patterns)
        endings = routes.enumerated().compactMap { index, route in route.ending.map { ($0, index) } }
    }

    /// The outcome of looking up a path.
    package enum Match: Sendable {
        /// The route's number, and the values of its placeholders.
        case route(Int, [String])
        /// The path exists for other methods.
        case otherMethods([String])
        /// No route has such a path.
        case none
    }

    /// Finds the route of a request.
    ///
    /// - Complexity: O(1) for a path without placeholders, otherwise O(*n*) in the number of patterns.
    package func match(_ method: String, _ path: String) -> Match {
        let method = method == "HEAD" ? "GET" : method
        for (text, index) in endings where routes[index].method == method && path.hasSuffixIgnoringCase(text) {
            if !path.hasPrefix(Self.console) { return .route(index, []) }
        }
        var others: [String] = []
        for index in exact[path] ?? [] {
            if routes[index].method == method { return .route(index, []) }
            others.append(routes[index].method)
        }
        // Decoded, another character would take the place of such bytes, and ids that differ become one.
        guard path.isUTF8WhenDecoded else { return .none }
        lazy var segments = PathPattern.segments(of: path)
        for (pattern, index) in patterns where path.utf8.starts(with: pattern.start.utf8) {
            guard let values = pattern.values(in: segments) else { continue }
            if routes[index].method == method { return .route(index, values) }
            others.append(routes[index].method)
        }
        return others.isEmpty ? .none : .otherMethods(others)
    }
}

extension RouteTable: RequestHandler {
    package func bodyLimit(for head: RequestHead) -> BodyLimit {
        guard case .route(let index, _) = match(head.method, head.path) else { return .none }
        return routes[index].bodyLimit
    }

    package func respond(to request: ServerRequest) -> Answer {
        switch match(request.head.method, request.head.path) {
        case .route(let index, let values):
            var request = request
            request.parameters = values
            return routes[index].respond(request)
        case .otherMethods(let methods):
            var response = ServerResponse.text(405, "method not allowed\n")
            response.headers["Allow"] = Set(methods).sorted().joined(separator: ", ")
            return .now(response)
        case .none where request.head.path == "*":
            // `OPTIONS *` asks for the server as a whole.
            let methods = Set(routes.map(\.method)).sorted().joined(separator: ", ")
            return .now(ServerResponse(204, headers: ["Allow": methods]))
        case .none where !request.head.path.isUTF8WhenDecoded:
            return .now(.error(400, "the path is not UTF-8"))
        case .none:
            return .now(.text(404, "404 page not found: GET /openapi.yaml lists the routes\n"))
        }
    }
}

/// The requests that a route answers. Enforced before the route is called; see ``AccessControl``.
package enum RouteAccess: Sendable, Equatable {
    /// All requests, whatever host they address: probes know a server by its number.
    case probe
    /// All requests that address an allowed host, without limits.
    case open
    /// Requests of clients: limited per SDK key, and available to web pages.
    case client
    /// Events of clients, which are never refused for their rate: several clients do not send them again.
    case intake
    /// Requests with a management token of a scope, not available to web pages.
    case management(ManagementScope)
}

/// The operations that a management token allows.
package enum ManagementScope: String, Sendable, CaseIterable {
    /// Reading the flags, results, changes and health, the status, the metrics, the names of lists and configurations,
    /// and the weights of bandits.
    case read
    /// Changing flags and lists of users.
    case flags
    /// Reading the last events, the users of lists, the segments and devices of a user, and why a user gets what, which
    /// are personal data.
    case events
    /// Forgetting users: deleting their events, assignments, and places in lists. A spoke needs it at its hub.
    case users
}

private struct PathPattern: Sendable {
    private enum Segment: Sendable {
        case text(String)
        case value(prefix: String.UTF8View, suffix: String.UTF8View)
        case rest
    }

    /// What all matching paths start with. It rules out most of them before they are divided into segments.
    let start: String
    private let segments: [Segment]

    init(_ pattern: String) {
        start = String(pattern.prefix { $0 != "{" })
        segments = pattern.split(separator: "/").map { segment in
            guard let open = segment.firstIndex(of: "{"), let close = segment.firstIndex(of: "}") else {
                return .text(String(segment))
            }
            if segment[open...].hasPrefix("{"), segment.hasSuffix("…}") { return .rest }
            return .value(
                prefix: String(segment[..<open]).utf8, suffix: String(segment[segment.index(after: close)...]).utf8)
        }
    }

    /// The segments of a path, which starts with a slash.
    static func segments(of path: String) -> ArraySlice<Substring> {
        path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).dropFirst()
            .map(Substring.init)[...]
    }

    /// The decoded values of the placeholders, or nil if the path does not match.
    func values(in path: ArraySlice<Substring>) -> [String]? {
        var rest = path
        var values: [String] = []
        for segment in segments {
            switch segment {
            case .text(let text):
                guard rest.popFirst() == text[...] else { return nil }
            case .value(let prefix, let suffix):
                guard let part = rest.popFirst()?.utf8, part.count > prefix.count + suffix.count,
                    part.starts(with: prefix), part.suffix(suffix.count).elementsEqual(suffix)
                else { return nil }
                values.append(Substring(part.dropFirst(prefix.count).dropLast(suffix.count)).percentDecoded())
            case .rest:
                guard !rest.isEmpty else { return nil }
                values.append(rest.joined(separator: "/").percentDecoded())
                rest = []
            }
        }
        return rest.isEmpty ? values : nil
    }
}

extension String {
    /// Whether the text ends with another, letters of ASCII regardless of case.
    fileprivate func hasSuffixIgnoringCase(_ suffix: String) -> Bool {
        let excess = utf8.count - suffix.utf8.count
        guard excess >= 0, utf8.last.map({ $0 | 0x20 }) == suffix.utf8.last.map({ $0 | 0x20 }) else { return false }
        return String(decoding: utf8.dropFirst(excess), as: UTF8.self).equalsIgnoringCase(suffix)
    }
}
