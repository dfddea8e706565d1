import TurnoutClient
import TurnoutCommandIO
import TurnoutEngine
import TurnoutReports

#if Server
    import TurnoutServer
#endif

/// A user to forget, and where.
struct UserToForget {
    private let user: String
    private let place: ServerPlace

    init(_ arguments: ParsedArguments) throws {
        guard let user = arguments.value(EventsCommand.user) else {
            throw UsageError.missing(anyOf: [EventsCommand.user + " ID"])
        }
        try Self.check(user)
        self.user = user
        place = try ServerPlace(arguments)
    }

    /// Rejects strings that cannot be user ids on a server.
    private static func check(_ user: String) throws {
        var isAllowed = !user.isEmpty
        #if Server
            isAllowed = SegmentLimits.allows(user)
        #endif
        guard isAllowed else {
            throw UsageError.invalidValue(
                option: EventsCommand.user, value: user, expected: "an id of 1 to 1,024 bytes", nearest: nil)
        }
    }

    /// Forgets the user, and prints what was deleted.
    func forget() async throws {
        switch place {
        case .folder(let folder): try await forget(in: folder)
        case .server(let server): try await forget(by: server)
        }
    }

    private static func print(events: Int, requests: Int, ids: Int) throws(CommandError) {
        let devices = ids > 1 ? ", with \((ids - 1).grouped("device"))" : ""
        let text =
            "The user is forgotten\(devices). \(events.grouped("event")) and parts of "
            + "\(requests.grouped("request")) in the log were deleted.\n"
        try StandardStream.output.print(text, "the summary")
    }

    // MARK: A running server

    private static let retryAdvice = "Run the command again; it finishes the rest."

    private static func advice(for failure: ManagementResponse) -> String? {
        if failure.status == 501 {
            return "Start the server without that store, run the command again, and delete the user in the store."
        }
        return failure.isTemporaryFailure ? retryAdvice : nil
    }

    private func forget(by server: ManagedServer) async throws {
        let body = Array(JSONValue.object(["user_id": .string(user)]).compactText.utf8)
        // The server reads all of its files.
        let request = server.request(
            "/users/forget", contentType: "application/json", body: body, deadline: .seconds(3_600))
        let response = ManagementResponse(try await server.response(to: request, advice: Self.retryAdvice))
        guard response.status == 200 else {
            throw CommandError(
                response.problem, advice: response.advice(forScope: "users") ?? Self.advice(for: response))
        }
        try Self.print(
            events: response.number("events"), requests: response.number("requests"),
            ids: response.length(of: "ids"))
        switch response.text("scope") {
        case "this node":
            StandardStream.output.put("Only this server was asked; if there are others, ask each of them.\n")
        case let scope?: StandardStream.output.put("The server answered for \(scope.printable).\n")
        case nil: break
        }
    }

    // MARK: A folder

    #if Server
        private func forget(in folder: String) async throws {
            _ = try InputFile(folder + "/events.sqlite")
            let log = SegmentLog(directory: folder + "/log", log: .silent)
            if let problem = log.status.problem {
                throw CommandError(
                    problem, advice: "If the server runs, let it forget the user: \(ManagedServer.server) URL.")
            }
            let events = EventService(
                log, into: EventDatabase(directory: folder, log: .standardError), messages: .standardError)
            let forgetting = UserForgetting(
                segments: try Self.segments(in: folder), profiles: try Self.profiles(in: folder)
            ) { try await events.forget($0) }
            let result: Result<UserForgetting.Outcome, any Error>
            do { result = .success(try await forgetting.forget(user)) } catch { result = .failure(error) }
            await log.close()
            switch result {
            case .success(let outcome):
                try Self.print(
                    events: outcome.events.events, requests: outcome.events.requests, ids: outcome.ids.count)
                for engine in log.readers.keys.compactMap({ EventReader($0).engine }) {
                    StandardStream.error.put(
                        "turnout: the user's events in \(engine.printable) are still there: start the server, and "
                            + "let it forget the user (\(ManagedServer.server))\n")
                }
            case .failure(let error):
                throw CommandError("\(error)", advice: "Check the folder, and run the command again.")
            }
        }

        /// The lists and devices in a folder. A server that never had any has no files of them.
        private static func segments(in folder: String) throws -> SegmentDatabase? {
            let files = ["segments.sqlite", "devices.sqlite"]
            let missing = files.filter { (try? InputFile("\(folder)/\($0)")) == nil }
            try checkLogs(of: missing, in: folder)
            guard missing != files else { return nil }
            if let file = missing.first {
                throw CommandError(
                    "\(folder) has no \(file), which may contain the user",
                    advice: "Restore a copy of the file. If there never was one, start the server once to create it.")
            }
            return SegmentDatabase(directory: folder, log: .standardError)
        }

        /// Checks that no log of a database is left without the database: it contains ids.
        private static func checkLogs(of databases: [String], in folder: String) throws {
            guard let name = databases.first(where: { OutputFile.exists("\(folder)/\($0)-wal") }) else { return }
            throw CommandError(
                "\(folder) has \(name)-wal, which may contain the user, but no \(name)",
                advice: "Restore a copy of \(name), or delete \(name)-wal.")
        }

        private static func profiles(in folder: String) throws -> [any ProfileStore] {
            guard (try? InputFile(folder + "/turnout.sqlite")) != nil else {
                try checkLogs(of: ["turnout.sqlite"], in: folder)
                return []
            }
            return [try ProfileStoreKind.open("sqlite:" + folder, .write, option: EventsCommand.data).store]
        }
    #else
        private func forget(in folder: String) async throws { throw CommandError.withoutServer }
    #endif
}
