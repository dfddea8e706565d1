package import TurnoutClient
package import TurnoutEngine

/// Assignments in a service of the operator's, over HTTP, as the vendor's Agent uses it.
///
/// A request has the user's id and, to store, the complete profile:
///
/// ```json
/// {"user_id": "ada", "experiment_bucket_map": {"1": {"variation_id": "2"}}}
/// ```
///
/// The service replaces profiles, so assignments are added to those that it has. The additions of one store wait for
/// each other, user by user. Between both requests another server may store others, which are lost then; the same
/// happens with the Agent.
package final class AgentProfileStore: AwaitableProfileStore {
    /// The time limit of a request: that of the Agent.
    private static let deadline = Duration.seconds(5)
    /// The time limit of looking up, then storing.
    private static let longestTurn = deadline * 2
    private static let mapKey = "experiment_bucket_map"

    private let service: AgentProfileService
    private let transport: any Transport
    private let clock: any Clock<Duration>
    /// Serializes additions for one user.
    private let additions = KeyedQueue<ByteKey>()

    /// Creates a store.
    ///
    /// - Parameters:
    ///   - service: The service.
    ///   - transport: Sends the requests.
    ///   - clock: Measures how long additions wait for each other. Default: the system's clock.
    package init(
        _ service: AgentProfileService, transport: any Transport, clock: any Clock<Duration> = .continuous
    ) {
        (self.service, self.transport, self.clock) = (service, transport, clock)
    }

    /// A response that is neither a profile nor a confirmation. Contains no personal data.
    package struct Failure: PrintableError, Equatable {
        package let description: String
    }

    /// A profile that this store cannot read, and therefore does not replace.
    package struct UnreadableProfile: PrintableError, Equatable {
        package let description: String
    }

    package var isRemote: Bool { true }

    package func profile(of userID: String) throws -> UserProfile {
        try wait { try await $0.awaitProfile(of: userID) }
    }

    package func save(_ assignments: [String: String], for userID: String) throws {
        try wait { try await $0.awaitSave(assignments, for: userID) }
    }

    /// Stores a profile without assignments: the service has no other request to remove one. If it has no profile,
    /// nothing is stored, so that forgetting creates none. Otherwise it must not have one afterwards.
    package func forget(_ userID: String) throws {
        try wait { store in
            try await store.inTurn(for: userID) {
                guard try await store.hasProfile(of: userID) else { return }
                try await store.save([:], of: userID)
                guard try await !store.hasProfile(of: userID) else {
                    throw Failure(description: "the profile service accepted an empty profile, but has assignments")
                }
            }
        }
    }

    /// Whether the service has assignments of a user, or something that cannot be read.
    private func hasProfile(of userID: String) async throws -> Bool {
        do {
            guard let map = try await lookup(userID)?[Self.mapKey] else { return false }
            return map != .null && map != .object([:])
        } catch is UnreadableProfile { return true }
    }

    package func awaitProfile(of userID: String) async throws -> UserProfile {
        // As in the Agent, an object without the id is not a profile.
        guard let profile = try await lookup(userID), let id = profile[service.userIDKey] else { return UserProfile() }
        guard case .string = id, let assignments = Self.assignments(in: profile[Self.mapKey]) else {
            // Otherwise the next assignment would replace a profile that this store cannot read.
            throw UnreadableProfile(description: "the profile service answered with a profile in an unknown form")
        }
        return UserProfile(assignments)
    }

    /// The assignments in a map; nil if an entry has no variation.
    private static func assignments(in map: JSONValue?) -> [String: String]? {
        guard let map, map != .null else { return [:] }
        guard case .object(let entries) = map else { return nil }
        var assignments: [String: String] = [:]
        for (experiment, entry) in entries {
            guard case .string(let variation)? = entry["variation_id"] else { return nil }
            assignments[experiment] = variation
        }
        return assignments
    }

    /// The object that the service has of a user; nil if it has none.
    private func lookup(_ userID: String) async throws -> JSONValue? {
        let response = try await send(
            service.lookupMethod, service.lookupAddress, [(service.userIDKey, .string(userID))])
        // The Agent takes every other status than 200 for a user without assignments. Then a failure of the service
        // would give users new variations, and replace the earlier ones.
        if response.status == 404 || response.status == 204 { return nil }
        guard response.status == 200 else { throw Self.failure(response) }
        guard let profile = try? JSONValue(parsing: response.body), case .object = profile else {
            throw UnreadableProfile(description: "the profile service did not answer with a JSON object")
        }
        return profile
    }

    package func awaitSave(_ assignments: [String: String], for userID: String) async throws {
        guard !assignments.isEmpty else { return }
        try await inTurn(for: userID) {
            let known = try await awaitProfile(of: userID).assignments
            try await save(known.merging(assignments) { $1 }, of: userID)
        }
    }

    /// Calls `body` when all earlier calls for the user have ended, without blocking a thread.
    ///
    /// - Throws: `ProfileStoreError.timedOut` without a call if its turn comes too late, so that a queue before an
    ///   unresponsive service ends at once; or the error of `body`.
    private func inTurn(for userID: String, _ body: () async throws -> Void) async throws {
        let elapsed = clock.stopwatch()
        try await additions.withTurn(for: ByteKey(userID)) {
            guard elapsed() < Self.longestTurn else { throw ProfileStoreError.timedOut }
            try await body()
        }
    }

    private func save(_ assignments: [String: String], of userID: String) async throws {
        let map = JSONValue.object(assignments.mapValues { .object(["variation_id": .string($0)]) })
        let response = try await send(
            service.saveMethod, service.saveAddress, [(service.userIDKey, .string(userID)), (Self.mapKey, map)])
        guard (200..<300).contains(response.status) else { throw Self.failure(response) }
    }

    private static func failure(_ response: HTTPResponse) -> Failure {
        Failure(description: "the profile service answered with status \(response.status)")
    }

    private func send(
        _ method: AgentProfileService.Method, _ address: String, _ parameters: [(name: String, value: JSONValue)]
    ) async throws -> HTTPResponse {
        var headers = service.headers
        switch method {
        case .get:
            let query = parameters.map { name, value in
                let text = if case .string(let text) = value { text } else { value.compactText }
                return name.percentEncoded + "=" + text.percentEncoded
            }
            let url = address + (address.contains("?") ? "&" : "?") + query.joined(separator: "&")
            return try await transport.send(HTTPRequest(.get, url, headers: headers, deadline: Self.deadline))
        case .post:
            let body = JSONValue.object(Dictionary(parameters.map { ($0.name, $0.value) }) { $1 }).compactText
            if !headers.keys.contains(where: { $0.equalsIgnoringCase("Content-Type") }) {
                headers["Content-Type"] = "application/json"
            }
            return try await transport.send(
                HTTPRequest(.post, address, headers: headers, body: Array(body.utf8), deadline: Self.deadline))
        }
    }

    /// Blocks the thread until a request is answered. The thread is not one of Swift's concurrency pool: the store is
    /// remote.
    private func wait<Value: Sendable>(
        _ body: @escaping @Sendable (AgentProfileStore) async throws -> Value
    ) throws -> Value {
        let outcome = OneShot<Result<Value, any Error>>()
        Task(executorPreference: DispatchExecutor.blockingCallers) { [self] in
            do { outcome.end(.success(try await body(self))) } catch { outcome.end(.failure(error)) }
        }
        guard let outcome = outcome.value(within: Self.longestTurn + .seconds(1)) else {
            throw ProfileStoreError.timedOut
        }
        return try outcome.get()
    }
}
