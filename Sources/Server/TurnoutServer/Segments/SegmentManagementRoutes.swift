import TurnoutClient
import TurnoutEngine

/// The routes that manage lists of users, and tell about users.
struct SegmentManagementRoutes: Sendable {
    /// The maximum number of users in a page of a list.
    static let maximumPage = 10_000

    private let platform: SegmentPlatform

    init(_ platform: SegmentPlatform) { self.platform = platform }

    /// The routes. Those that tell about users need the scope for events, because both are personal data.
    var all: [Route] {
        [
            Route("GET", "/segments", "the segments, and the sizes of lists", access: .management(.read)) { _ in
                answer { try self.segments() }
            },
            Route("DELETE", "/segments/{segment}", "deletes a list of users", access: .management(.flags)) {
                removeList($0.parameters[0])
            },
            Route("GET", "/segments/{segment}/users", "the users of a list", access: .management(.events)) {
                users(of: $0.parameters[0], $0.head.query)
            },
            Route(
                "PUT", "/segments/{segment}/users", "replaces a list of users", bodyLimit: .list,
                access: .management(.flags)
            ) { upload($0, replaces: true) },
            // `?replace=true` makes it a PUT, for clients that have only this method.
            Route(
                "POST", "/segments/{segment}/users", "adds to a list of users", bodyLimit: .list,
                access: .management(.flags)
            ) { upload($0, replaces: $0.head.query["replace"] == "true") },
            Route("PUT", "/segments/{segment}/users/{user}", "adds a user", access: .management(.flags)) {
                add($0.parameters[1], to: $0.parameters[0])
            },
            Route("DELETE", "/segments/{segment}/users/{user}", "removes a user", access: .management(.flags)) {
                remove($0.parameters[1], from: $0.parameters[0])
            },
            Route("GET", "/users/{user}/segments", "the segments of a user", access: .management(.events)) {
                membership(of: $0.parameters[0])
            },
            Route(
                "DELETE", "/users/{user}/segments", "removes a user from lists and devices",
                access: .management(.flags)
            ) { forget($0.parameters[0]) },
        ]
    }

    /// The response that a function returns, which may block.
    private func answer(_ body: @escaping @Sendable () throws -> ServerResponse) -> Answer {
        .later { [platform] in
            do { return try await BlockingCall.result { try platform.reportingFailure(body) } } catch {
                if let error = error as? SegmentLimitError { return .error(409, error.description, code: "limit") }
                return .error(503, "the segments cannot be read or written")
            }
        }
    }

    // MARK: Lists

    private func segments() throws -> ServerResponse {
        let lists = try platform.store.lists().map { list in
            JSONValue.object(["segment": .string(list.name), "users": .integer(Int64(list.count))])
        }
        let defined = platform.defined.map { segment in
            JSONValue.object([
                "segment": .string(segment.name), "project": .string(segment.projectID),
                "members": .integer(Int64(segment.members.count)), "hasRule": .bool(segment.rule != nil),
            ])
        }
        return .json(["lists": .array(lists), "defined": .array(defined)])
    }

    private func removeList(_ segment: String) -> Answer {
        answer {
            guard try platform.store.removeList(segment) else { return .error(404, "there is no such list") }
            try platform.countChange()
            return ServerResponse(204)
        }
    }

    private func users(of segment: String, _ query: QueryParameters) -> Answer {
        let limit = query["limit"].map { Int($0) } ?? 1_000
        guard let limit, (1...Self.maximumPage).contains(limit) else {
            return .now(.error(400, "limit is not a whole number from 1 to \(Self.maximumPage)"))
        }
        return answer {
            guard let users = try platform.store.users(of: segment, after: query["after"] ?? "", limit: limit) else {
                return .error(404, "there is no such list")
            }
            return .json(["users": .array(users.map(JSONValue.string))])
        }
    }

    private func upload(_ request: ServerRequest, replaces: Bool) -> Answer {
        guard let format = SegmentUpload.Format(contentType: request.head.headers["Content-Type"]) else {
            return .now(.error(415, "the Content-Type of a list is text/csv or application/x-ndjson"))
        }
        guard SegmentLimits.allows(request.parameters[0]) else { return .now(Self.badName) }
        // Reading a long list takes longer than other requests on the same thread may wait.
        return answer {
            let upload: SegmentUpload
            do throws(SegmentUpload.Problem) { upload = try SegmentUpload(request.body, format) } catch {
                return .error(400, "line \(error.line): \(error.message); nothing was changed")
            }
            guard replaces else { return try change(request.parameters[0], .add(upload.users)) }
            // A list without users may be the output of a query that failed.
            guard !upload.users.isEmpty || request.head.query["allow_empty"] == "true" else { return Self.emptyList }
            return try change(request.parameters[0], .replace(upload.users))
        }
    }

    private func add(_ user: String, to segment: String) -> Answer {
        guard SegmentLimits.allows(segment), SegmentLimits.allows(user) else { return .now(Self.badName) }
        return answer { try change(segment, .add([user])) }
    }

    private func remove(_ user: String, from segment: String) -> Answer {
        answer {
            let counts = try platform.store.change(segment, .remove([user]))
            guard counts.removed > 0 else { return .error(404, "there is no such list, or the user is not in it") }
            try platform.countChange()
            return Self.response(counts, nil)
        }
    }

    private func change(_ segment: String, _ change: SegmentChange) throws -> ServerResponse {
        let counts = try platform.store.change(segment, change)
        try platform.countChange()
        return Self.response(counts, platform.usedSegments(without: segment))
    }

    /// What has changed. If no audience names the segment, `segments` are those that audiences name: the name is
    /// probably misspelt.
    private static func response(_ counts: SegmentChange.Counts, _ used: [String]?) -> ServerResponse {
        var members: [String: JSONValue] = [
            "added": .integer(Int64(counts.added)), "removed": .integer(Int64(counts.removed)),
        ]
        if let used { members["segments"] = .array(used.prefix(1_000).map(JSONValue.string)) }
        return .json(members)
    }

    private static let emptyList = ServerResponse.error(
        409, "the list has no users; to remove all users, add allow_empty=true; nothing was changed", code: "empty")
    private static let badName = ServerResponse.error(400, "names and ids have 1 to \(SegmentLimits.textLength) bytes")

    // MARK: Users

    private func membership(of user: String) -> Answer {
        answer {
            guard let membership = try platform.membership(of: user) else {
                return .error(404, "nothing is known of the user")
            }
            return .json([
                "segments": .array(membership.segments.map(\.text).sorted().map(JSONValue.string)),
                "ids": .array(membership.ids.map(JSONValue.string)),
            ])
        }
    }

    private func forget(_ user: String) -> Answer {
        answer {
            guard try platform.store.forget([user]) else {
                return .error(404, "the user is in no list and has no device")
            }
            try platform.countChange()
            return ServerResponse(204)
        }
    }
}
