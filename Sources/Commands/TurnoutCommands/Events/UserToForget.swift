import TurnoutClient
import TurnoutCommandIO
import TurnoutEngine

#if Curl && os(Linux)
    import TurnoutCurl
#endif

#if SQLite && Server
    import TurnoutServer
    import TurnoutServerStore
#endif

/// A user to forget, and where.
struct UserToForget {
    private enum Place {
        case folder(String)
        case server(ManagedServer)
    }

    private let user: String
    private let place: Place

    init(_ arguments: ParsedArguments) throws {
        guard let user = arguments.value(EventsCommand.user) else {
            throw UsageError.missing(anyOf: [EventsCommand.user + " ID"])
        }
        try Self.check(user)
        self.user = user
        switch (arguments.value(EventsCommand.data), arguments.value(ManagedServer.server)) {
        case (let folder?, nil): place = .folder(folder)
        case (nil, let address?): place = .server(try ManagedServer(address, arguments))
        case (_?, _?): throw UsageError.conflicting(EventsCommand.data, ManagedServer.server)
        case (nil, nil):
            throw UsageError.missing(anyOf: [EventsCommand.data + " DIR", ManagedServer.server + " URL"])
        }
    }

    /// Refuses what no server can have as the id of a user.
    private static func check(_ user: String) throws {
        var isAllowed = !user.isEmpty
        #if SQLite && Server
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
        func counted(_ count: Int, _ unit: String) -> String { "\(count.grouped) \(unit)\(count == 1 ? "" : "s")" }
        let devices = ids > 1 ? ", with \(counted(ids - 1, "device"))" : ""
        let text =
            "The user is forgotten\(devices). \(counted(events, "event")) and parts of "
            + "\(counted(requests, "request")) in the log were deleted.\n"
        guard StandardStream.output.put(text) else { throw .unwritten("the summary") }
    }

    // MARK: A running server

    private func forget(by server: ManagedServer) async throws {
        #if Curl && os(Linux)
            let response: HTTPResponse
            do {
                // The server reads all of its files.
                let path = "/users/\(user.percentEncoded)/forget"
                response = try await CurlTransport().send(server.request(path, deadline: .seconds(3_600)))
            } catch {
                throw CommandError(
                    "no answer of \(server.address): \(error)",
                    advice: "Run the command again: it does what is left.")
            }
            let answer = try? JSONValue(parsing: response.body)
            guard response.status == 200, let answer else { throw Self.refusal(response.status, answer) }
            let ids: Int = if case .array(let ids)? = answer["ids"] { ids.count } else { 1 }
            try Self.print(events: answer.count("events"), requests: answer.count("requests"), ids: ids)
        #else
            throw CommandError(
                "this program was built without a network", advice: "Build with --traits default,Curl.")
        #endif
    }

    private static func refusal(_ status: Int, _ answer: JSONValue?) -> CommandError {
        let problem: String =
            if case .string(let text)? = answer?["error"] { text } else { "the server answered with this status" }
        let advice: String? =
            switch status {
            case 401, 403: "Set \(ManagedServer.tokenVariable) to a management token with the scope \"users\"."
            case 500...: "Run the command again: it does what is left."
            default: nil
            }
        return CommandError("\(status): \(problem)", advice: advice)
    }

    // MARK: A folder

    #if SQLite && Server
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
                segments: Self.segments(in: folder), profiles: try Self.profiles(in: folder)
            ) { try await events.forget($0) }
            let result: Result<UserForgetting.Outcome, any Error>
            do { result = .success(try await forgetting.forget(user)) } catch { result = .failure(error) }
            await log.close()
            switch result {
            case .success(let outcome):
                try Self.print(
                    events: outcome.events.events, requests: outcome.events.requests, ids: outcome.ids.count)
            case .failure(let error):
                throw CommandError("\(error)", advice: "Check the folder, and run the command again.")
            }
        }

        /// The lists and devices in a folder. A server without segments has no files of them.
        private static func segments(in folder: String) -> any SegmentStore {
            guard (try? InputFile(folder + "/segments.sqlite")) != nil else { return MemorySegmentStore() }
            return SegmentDatabase(directory: folder, log: .standardError)
        }

        private static func profiles(in folder: String) throws -> [any ProfileStore] {
            guard (try? InputFile(folder + "/turnout.sqlite")) != nil else { return [] }
            return [try ProfileStoreKind.open("sqlite:" + folder, .write, option: EventsCommand.data).store]
        }
    #else
        private func forget(in folder: String) async throws {
            throw CommandError("this program was built without a server", advice: "Build with --traits default,Server.")
        }
    #endif
}

extension JSONValue {
    /// A member's number; 0 without one.
    fileprivate func count(_ name: String) -> Int {
        if case .integer(let number)? = self[name] { Int(exactly: number) ?? 0 } else { 0 }
    }
}
