import TurnoutClient
import TurnoutEngine

/// The connection of a spoke to its hub: copies what a datafile cannot carry, and carries requests to forget users in
/// both directions.
///
/// The copy is in `hub.json` in the server's folder, with the users whom the hub does not know yet to be forgotten. A
/// spoke starts with it, and works with it for as long as the hub is gone.
final class HubLink: Sendable {
    private struct Copy: Decodable {
        var state = HubState()
        /// The number of the last user whom the hub has forgotten, and this server, too.
        var done: Int64 = 0
        /// Users whom the hub has yet to forget.
        var waiting: [String] = []
        /// When the hub has answered, in milliseconds since 1970; nil: never.
        var reached: Int64?
        /// Whether this server has missed users whom the hub has forgotten.
        var isLate = false
    }

    private struct State {
        var copy = Copy()
        /// Since when the hub does not answer, in milliseconds since 1970; nil if it does.
        var lost: Int64?
        var problem: String?
        var forgettingProblem: String?
        /// Users whom the hub has forgotten, and this server has not.
        var forgotten: [HubState.ForgottenUser] = []
    }

    let address: String
    private let token: String?
    private let transport: HubTransport
    private let directory: String
    private let clock: any Clock<Duration>
    private let wallClock: any WallClock
    private let log: any Log
    private let state = Locked(State())

    /// Creates a link that does not run yet; nil if the configuration names no hub.
    init?(_ configuration: ServerConfiguration, _ adapters: ServerAdapters) {
        guard let address = configuration.hub, let transport = adapters.hub else { return nil }
        (self.address, token, self.transport) = (address, configuration.hubToken, transport)
        (directory, clock) = (adapters.storage.directory, adapters.clock)
        (wallClock, log) = (adapters.wallClock, adapters.log)
    }

    // MARK: The copy

    private var path: String { directory + "/hub.json" }

    /// Reads the copy of an earlier run. Blocks.
    ///
    /// - Returns: What the hub told then.
    func load() -> HubState {
        do {
            guard let file = try SegmentFile.read(path) else { return HubState() }
            let copy = try JSONValue(parsing: file.bytes(at: 0, count: file.size)).decoded(as: Copy.self)
            state.withLock { $0.copy = copy }
            return copy.state
        } catch {
            log.failure(.error, "hub: \(path) cannot be read; users who are still to be forgotten are lost", error)
            return HubState()
        }
    }

    /// Changes the copy, and writes it: the disk has it when the function returns. Blocks.
    private func change(_ body: (inout Copy) -> Void) throws {
        try state.withLock { state in
            var copy = state.copy
            body(&copy)
            let writer = JSONWriter.object { writer in
                writer.object("state") { $0.members(of: copy.state) }
                writer.member("done", copy.done)
                writer.member("waiting", copy.waiting)
                if let reached = copy.reached { writer.member("reached", reached) }
                writer.member("isLate", copy.isLate)
            }
            try SystemCall.makeDirectory(directory)
            try SegmentFile.replace(path, with: writer.bytes)
            state.copy = copy
        }
    }

    // MARK: The hub

    /// Follows the hub, and passes on who is to be forgotten, until the task is canceled.
    ///
    /// - Parameters:
    ///   - use: Called with each new state of the hub.
    ///   - forget: Forgets users here, and returns when none of their events is on its way to the hub.
    func run(
        use: @escaping @Sendable (HubState) async -> Void,
        forget: @escaping @Sendable ([String]) async throws -> Void
    ) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.repeating(.seconds(1)) { await self.follow(use) } }
            // Forgetting a user can take long.
            group.addTask { await self.repeating(.seconds(30)) { await self.carryForgotten(forget) } }
        }
    }

    /// Calls a function each second; after failures less often, up to a limit.
    private func repeating(_ longest: Duration, _ succeeds: @Sendable () async -> Bool) async {
        var pause = Duration.seconds(1)
        while !Task.isCancelled {
            pause = await succeeds() ? .seconds(1) : min(pause * 2, longest)
            try? await clock.sleep(for: pause, tolerance: nil)
        }
    }

    private func follow(_ use: @Sendable (HubState) async -> Void) async -> Bool {
        do {
            let done = state.withLock { $0.copy.done }
            let body = try await send(.get, "/spokes?after=\(done)")
            var new = try JSONValue(parsing: body).decoded(as: HubState.self)
            guard new.isPlausible else {
                throw EventForwardingError(
                    message: "the hub answered with numbers that no hub has; is that the address of turnout serve?")
            }
            let now = wallClock.millisecondsSince1970()
            state.withLock { ($0.forgotten, $0.copy.reached) = (new.forgotten, now) }
            new.forgotten = []
            let (old, wasLost) = state.withLock { ($0.copy.state, $0.lost != nil) }
            // After an outage also the same state: a datafile may be missing still. A full disk does not matter.
            if new != old || wasLost { await use(new) }
            if new != old {
                let isLate = old.day > 0 && new.day - old.day > HubState.days
                try await BlockingCall.result { [new] in
                    try self.change { ($0.state, $0.isLate) = (new, $0.isLate || isLate) }
                }
            }
            report(nil, at: now)
            return true
        } catch {
            if !Task.isCancelled { report(error.logText, at: wallClock.millisecondsSince1970()) }
            return false
        }
    }

    private func report(_ problem: String?, at now: Int64) {
        let earlier = state.withLock { state in
            defer { (state.problem, state.lost) = (problem, problem == nil ? nil : state.lost ?? now) }
            return state.problem
        }
        guard problem != earlier else { return }
        if let problem {
            let values =
                state.withLock { $0.copy.reached == nil }
                ? "it has never answered, so there are no flags and decisions fail" : "its last values stay in use"
            log(.warning, "hub: \(problem); \(values), and events wait in the log")
        } else {
            log(.info, "hub: reached again")
        }
    }

    private func send(
        _ method: HTTPRequest.Method, _ path: String, _ body: JSONValue? = nil, within deadline: Duration = .seconds(3)
    ) async throws -> [UInt8] {
        var headers = ["Content-Type": "application/json"]
        headers["Authorization"] = token.map { "Bearer \($0)" }
        let request = HTTPRequest(
            method, address + path, headers: headers, body: body.map { Array($0.compactText.utf8) } ?? [],
            deadline: deadline)
        let response = try await transport.send(request)
        if response.isSuccess { return response.body }
        let isRefused = [401, 403].contains(response.status)
        let advice = isRefused ? "; hub_token (TURNOUT_HUB_TOKEN) must be a token of the hub with the scope users" : ""
        throw EventForwardingError(message: "the hub answered with status \(response.status)\(advice)")
    }

    // MARK: Forgetting

    /// Asks the hub to forget a user: now, or when it is back. The disk has the request when the function returns.
    func forget(_ user: String) async throws {
        transport.forgetAnswers()
        try await BlockingCall.result { try self.change { $0.waiting.append(user) } }
    }

    private func carryForgotten(_ forget: @Sendable ([String]) async throws -> Void) async -> Bool {
        let (forgotten, done, waiting) = state.withLock { ($0.forgotten, $0.copy.done, $0.copy.waiting) }
        do {
            for user in forgotten where user.number > done {
                transport.forgetAnswers()
                try await forget(user.ids)
                _ = try await send(
                    .post, "/spokes/forgotten", .object(["number": .integer(user.number)]), within: .seconds(600))
                try await BlockingCall.result { try self.change { $0.done = user.number } }
            }
            for user in waiting {
                _ = try await send(
                    .post, "/users/forget", .object(["user_id": .string(user)]), within: .seconds(600))
                try await BlockingCall.result {
                    try self.change { copy in copy.waiting.firstIndex(of: user).map { _ = copy.waiting.remove(at: $0) }
                    }
                }
            }
            state.withLock { $0.forgettingProblem = nil }
            return true
        } catch {
            guard !Task.isCancelled else { return false }
            let problem = "a user is not forgotten everywhere yet, and this is tried again: \(error.logText)"
            let earlier = state.withLock { state in
                defer { state.forgettingProblem = problem }
                return state.forgettingProblem
            }
            if problem != earlier { log(.warning, "hub: \(problem)") }
            return false
        }
    }

    // MARK: Operations

    private static let lateness =
        "the hub was gone for more than \(HubState.days) days, and this server has missed users whom it forgot then: "
        + "when no events wait here, stop this server, and start it with a new data folder"

    /// The link's contribution to the server's status and metrics.
    var report: ServiceReport {
        var report = ServiceReport("hub")
        report.impairment = { self.problem }
        report.status = { self.write(to: &$0) }
        report.metrics = { self.metrics }
        return report
    }

    private func isReached(_ state: State) -> Bool { state.lost == nil && state.copy.reached != nil }

    private var problem: String? {
        state.withLock { $0.copy.isLate ? Self.lateness : $0.problem ?? $0.forgettingProblem }
    }

    /// The age of what is known of the hub, in seconds; nil if nothing is.
    private func age(_ state: State) -> Int? {
        state.copy.reached.map { max(0, Int(wallClock.millisecondsSince1970() - $0) / 1_000) }
    }

    private func write(to writer: inout JSONWriter) {
        let state = state.withLock { $0 }
        writer.object {
            $0.member("address", address.withoutCredentials)
            $0.member("isReached", isReached(state))
            $0.member("lastReached", state.copy.reached.map(Timestamp.text))
            $0.member("goneSince", state.lost.map(Timestamp.text))
            if let age = age(state) { $0.member("ageSeconds", age) }
            $0.member("usersToForget", state.copy.waiting.count)
            $0.member("lastValuesUsed", transport.usedAnswers)
            $0.member("problem", problem)
        }
    }

    private var metrics: MetricsSnapshot {
        let state = state.withLock { $0 }
        var snapshot = MetricsSnapshot()
        func add(_ name: String, _ help: String, _ value: Int?, _ kind: MetricsSnapshot.Metric.Kind = .gauge) {
            snapshot.add(kind, "turnout_hub_" + name, help, value.map { [.init($0)] } ?? [])
        }
        add("reached", "Whether the hub has answered the last request.", isReached(state) ? 1 : 0)
        add("age_seconds", "Time since the hub has answered.", age(state))
        add(
            "last_values_used_total", "Queries for segments that were answered with the hub's last answer.",
            transport.usedAnswers, .counter)
        add("users_to_forget", "Users whom the hub has yet to forget.", state.copy.waiting.count)
        return snapshot
    }
}
