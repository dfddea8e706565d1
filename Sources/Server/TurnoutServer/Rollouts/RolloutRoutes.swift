import TurnoutClient
import TurnoutEngine
import TurnoutRollouts

/// The routes that serve and change configurations for RolloutManager.
struct RolloutRoutes: Sendable {
    private let directory: RolloutDirectory
    private let save: (@Sendable (RolloutKey, [UInt8]?) throws -> Void)?
    private let messages: any Log

    /// Creates the routes.
    ///
    /// - Parameters:
    ///   - directory: The configurations.
    ///   - save: Writes a changed configuration to a file, or deletes the file if it is nil. Default: nil, changes are
    ///     lost when the server ends.
    ///   - messages: Receives failures.
    init(
        _ directory: RolloutDirectory, save: (@Sendable (RolloutKey, [UInt8]?) throws -> Void)?,
        messages: any Log
    ) {
        self.directory = directory
        self.save = save
        self.messages = messages
    }

    var all: [Route] {
        [
            Route(
                "GET", "/rollouts", "the names of configurations for RolloutManager",
                access: .management(.read)
            ) {
                _ in .now(list)
            }
        ] + routes("/rollouts/{name}.plist") + routes("/rollouts/{name}/{version}.plist")
    }

    private func routes(_ pattern: String) -> [Route] {
        [
            Route("GET", pattern, "a configuration for RolloutManager") { request in
                guard let key = Self.key(request), let document = directory.document(for: key) else {
                    return .now(Self.unknown)
                }
                return .now(document.response(to: request.head))
            },
            Route(
                "PUT", pattern, "replaces a configuration for RolloutManager",
                bodyLimit: RolloutDirectory.sizeLimit, access: .management(.flags)
            ) { put($0) },
            Route(
                "DELETE", pattern, "deletes a configuration for RolloutManager", access: .management(.flags)
            ) {
                delete($0)
            },
        ]
    }

    private static let unknown = ServerResponse.error(404, "there is no such configuration")
    private static let defined = ServerResponse.error(
        409, "the project file defines this configuration, under \"configurations\"; change it there")

    /// The key that a path names; nil if there can be none.
    private static func key(_ request: ServerRequest) -> RolloutKey? {
        guard request.parameters.allSatisfy(RolloutKey.isValid) else { return nil }
        return RolloutKey(
            name: request.parameters[0],
            version: request.parameters.count > 1 ? request.parameters[1] : nil)
    }

    private var list: ServerResponse {
        var writer = JSONWriter()
        let entries = directory.keys.map { key in
            var members: [String: JSONValue] = ["name": .string(key.name)]
            members["version"] = key.version.map(JSONValue.string)
            return JSONValue.object(members)
        }
        writer.value(.object(["configurations": .array(entries)]))
        writer.newline()
        return .json(200, writer.bytes)
    }

    // MARK: Changes

    private func put(_ request: ServerRequest) -> Answer {
        guard let key = Self.key(request) else {
            return .now(
                .error(400, "names and versions have up to 100 letters, digits, \".\", \"_\" and \"-\""))
        }
        guard !directory.isDefined(key) else { return .now(Self.defined) }
        return change { () throws(RolloutConfigurationError) in
            try directory.check(request.body, for: key)
            if let problem = stored(request.body, for: key) { return problem }
            return Self.response(try directory.publish(request.body, for: key))
        }
    }

    private func delete(_ request: ServerRequest) -> Answer {
        guard let key = Self.key(request), directory[key] != nil else { return .now(Self.unknown) }
        guard !directory.isDefined(key) else { return .now(Self.defined) }
        return change {
            if let problem = stored(nil, for: key) { return problem }
            directory.remove(key)
            return ServerResponse(204)
        }
    }

    /// Changes one configuration at a time: of two requests at once, the file and the directory keep the same one.
    private func change(
        _ body: @escaping @Sendable () throws(RolloutConfigurationError) -> ServerResponse
    ) -> Answer {
        .blocking { [directory] in
            do throws(RolloutConfigurationError) { return try directory.withChangesLocked(body) } catch {
                return .error(400, "\(error.description); nothing was changed")
            }
        }
    }

    /// Changes a file. Returns the response to a failure.
    private func stored(_ bytes: [UInt8]?, for key: RolloutKey) -> ServerResponse? {
        do {
            try save?(key, bytes)
            return nil
        } catch {
            messages.failure(
                .error, "rollouts: a configuration cannot be stored; the one served before stays in use", error)
            return .error(503, "the configuration cannot be stored")
        }
    }

    private static func response(_ configuration: RolloutConfiguration) -> ServerResponse {
        var writer = JSONWriter()
        writer.value(
            .object([
                "experiments": .integer(Int64(configuration.entries.count)),
                "warnings": .array(configuration.warnings.map { .string($0.description) }),
            ]))
        writer.newline()
        return .json(200, writer.bytes)
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
