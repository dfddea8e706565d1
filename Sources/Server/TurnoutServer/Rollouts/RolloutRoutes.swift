import TurnoutClient
import TurnoutEngine

/// The routes that serve configurations for RolloutManager.
struct RolloutRoutes: Sendable {
    private let directory: RolloutDirectory

    init(_ directory: RolloutDirectory) { self.directory = directory }

    var all: [Route] {
        [
            Route("GET", "/rollouts", "the names of configurations for RolloutManager", access: .management(.read)) {
                _ in .now(list)
            },
            route("/rollouts/{name}.plist"), route("/rollouts/{name}/{version}.plist"),
        ]
    }

    private func route(_ pattern: String) -> Route {
        Route("GET", pattern, "a configuration for RolloutManager") { request in
            let version = request.parameters.count > 1 ? request.parameters[1] : nil
            let document = directory.document(for: RolloutKey(name: request.parameters[0], version: version))
            return .now(document?.response(to: request.head) ?? .error(404, "there is no such configuration"))
        }
    }

    private var list: ServerResponse {
        let entries = directory.keys.map { key in
            var members: [String: JSONValue] = ["name": .string(key.name)]
            members["version"] = key.version.map(JSONValue.string)
            return JSONValue.object(members)
        }
        return .json(["configurations": .array(entries)])
    }
}

extension RolloutDirectory.Document {
    /// The file, or 304 if the client has it.
    fileprivate func response(to head: RequestHead) -> ServerResponse {
        let headers: HeaderFields = [
            "Content-Type": isJSON ? "application/json" : "application/x-plist", "ETag": entityTag,
            "Last-Modified": HTTPDate.text(lastModified), "Cache-Control": "no-cache",
        ]
        return EntityTag.isCurrent(head, entityTag, lastModified: lastModified)
            ? ServerResponse(304, headers: headers)
            : ServerResponse(200, headers: headers, body: .shared(content))
    }
}
