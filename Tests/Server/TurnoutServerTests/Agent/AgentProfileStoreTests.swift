import TestSupport
import TurnoutServer

/// The Agent's service `rest` for assignments.
@Suite(.blocking) struct AgentProfileStoreTests {
    /// A service that keeps profiles as it gets them, by user.
    private final class Service: Sendable {
        private let profiles = Locked<[String: JSONValue]>([:])
        let transport = MemoryTransport { _ in HTTPResponse(status: 500) }

        init(userIDKey: String = "user_id") {
            transport.respond { [unowned self] request in
                let path = request.url.split(separator: "?")[0]
                let body = try? JSONValue(parsing: request.body)
                guard case .string(let user)? = body?[userIDKey] else { return HTTPResponse(status: 400) }
                return profiles.withLock { profiles in
                    guard !path.hasSuffix("/save") else {
                        profiles[user] = body
                        return HTTPResponse(status: 200)
                    }
                    guard let profile = profiles[user] else { return HTTPResponse(status: 404) }
                    return HTTPResponse(status: 200, body: profile.bytes)
                }
            }
        }
    }

    private func service(_ change: (inout AgentProfileService) -> Void = { _ in }) -> AgentProfileService {
        var service = AgentProfileService(lookupAddress: "http://h/lookup", saveAddress: "http://h/save")
        change(&service)
        return service
    }

    @Test func assignmentsAreAddedAndForgotten() async throws {
        let ups = Service(userIDKey: "id")
        let store = AgentProfileStore(
            service {
                $0.userIDKey = "id"
                $0.headers = ["X-Key": "secret"]
            }, transport: ups.transport)
        #expect(try store.profile(of: "ada").assignments.isEmpty)
        try store.save(["1": "2"], for: "ada")
        try await store.awaitSave(["3": "4"], for: "ada")
        #expect(try await store.awaitProfile(of: "ada").assignments == ["1": "2", "3": "4"])
        let saved = try #require(ups.transport.requests.last { $0.url == "http://h/save" })
        #expect(saved.method == .post && saved.headers["X-Key"] == "secret")
        #expect(saved.headers["Content-Type"] == "application/json")
        #expect(
            String(decoding: saved.body, as: UTF8.self)
                == #"{"experiment_bucket_map":{"1":{"variation_id":"2"},"3":{"variation_id":"4"}},"id":"ada"}"#)
        try store.forget("ada")
        #expect(try store.profile(of: "ada").assignments.isEmpty)
        let count = ups.transport.requests.count
        for user in ["ada", "grace"] { try store.forget(user) }
        #expect(ups.transport.requests.dropFirst(count).allSatisfy { $0.url == "http://h/lookup" })
    }

    @Test(arguments: [
        #"{"user_id":5,"experiment_bucket_map":{"1":1}}"#, #"{"user_id":"ada","experiment_bucket_map":[]}"#,
        #"{"experiment_bucket_map":{"1":{"variation_id":"2"}}}"#,
        #"{"user_id":"ada","experiment_bucket_map":{"1":{"variation_id":"2"},"3":{"variation_id":4}}}"#,
    ])
    func anUnreadableProfileIsForgotten(body: String) throws {
        let profile = Locked(body)
        let transport = MemoryTransport { request in
            if request.url.hasSuffix("/save") { profile.withLock { $0 = "{}" } }
            return HTTPResponse(status: 200, body: Array(profile.withLock { $0 }.utf8))
        }
        let store = AgentProfileStore(service(), transport: transport)
        try store.forget("ada")
        #expect(transport.requests.map(\.url) == ["http://h/lookup", "http://h/save", "http://h/lookup"])
    }

    /// A proxy that answers everything.
    @Test func aServiceThatKeepsAProfileHasNotForgotten() throws {
        let transport = MemoryTransport { _ in HTTPResponse(status: 200, body: Array("<html>Log in</html>".utf8)) }
        let store = AgentProfileStore(service(), transport: transport)
        #expect(throws: AgentProfileStore.Failure.self) { try store.forget("ada") }
    }

    @Test func parametersMayBeInTheQuery() throws {
        let transport = MemoryTransport { _ in
            HTTPResponse(
                status: 200,
                body: Array(#"{"user_id":"a b","experiment_bucket_map":{"1":{"variation_id":"2"}}}"#.utf8))
        }
        let store = AgentProfileStore(
            service { ($0.lookupMethod, $0.saveMethod) = (.get, .get) }, transport: transport)
        try store.save(["3": "4"], for: "a b")
        #expect(transport.requests.map(\.url).first == "http://h/lookup?user_id=a%20b")
        let saved = try #require(transport.requests.last)
        #expect(saved.method == .get && saved.body.isEmpty)
        #expect(saved.url.hasPrefix("http://h/save?user_id=a%20b&experiment_bucket_map=%7B%221%22%3A%7B"))
    }

    @Test(arguments: [
        (204, ""), (404, ""), (200, "{}"), (200, #"{"experiment_bucket_map":{"1":{"variation_id":"2"}}}"#),
    ])
    func aUserMayBeUnknown(status: Int, body: String) async throws {
        let transport = MemoryTransport { _ in HTTPResponse(status: status, body: Array(body.utf8)) }
        let store = AgentProfileStore(service(), transport: transport)
        #expect(try await store.awaitProfile(of: "ada").assignments.isEmpty)
    }

    /// While the lookup for one addition is not answered, another one for the same user waits.
    @Test func concurrentAdditionsAreAllStored() async throws {
        let gate = Gate()
        let profile = Locked(#"{"user_id":"ada"}"#)
        let transport = MemoryTransport { request in
            guard request.url.hasSuffix("/lookup") else {
                let body = String(decoding: request.body, as: UTF8.self)
                if body.contains("ada") { profile.withLock { $0 = body } }
                return HTTPResponse(status: 200)
            }
            let known = profile.withLock { $0 }
            await gate.pass()
            return HTTPResponse(status: 200, body: Array(known.utf8))
        }
        let store = AgentProfileStore(service(), transport: transport)
        try await withThrowingTaskGroup { group in
            for number in 1...3 { group.addTask { try await store.awaitSave(["\(number)": "v"], for: "ada") } }
            // Another user does not wait.
            group.addTask { try await store.awaitSave(["1": "v"], for: "bob") }
            try await wait("two users are looked up") { gate.waitingCount == 2 }
            gate.open()
            try await group.waitForAll()
        }
        let saved = profile.withLock { $0 }
        for number in 1...3 { #expect(saved.contains("\"\(number)\":{")) }
    }

    /// As with `async`.
    @Test func aBufferDoesNotWaitForTheService() async throws {
        let ups = Service()
        let store = WriteBehindProfileStore(AgentProfileStore(service(), transport: ups.transport), log: .silent)
        try store.save(["1": "2"], for: "ada")
        #expect(try store.profile(of: "ada").assignments == ["1": "2"])
        await store.flush(within: .seconds(30))
        #expect(ups.transport.requests.contains { $0.url == "http://h/save" })
        #expect(try store.profile(of: "ada").assignments == ["1": "2"])
    }

    @Test(arguments: [
        #"{"user_id":5}"#, #"{"user_id":"ada","experiment_bucket_map":[1]}"#,
        #"{"user_id":"ada","experiment_bucket_map":{"1":{"variation_id":"2"},"3":{"variation_id":4}}}"#,
        #"{"user_id":"ada","experiment_bucket_map":{"1":null}}"#,
        #"{"user_id":"ada","experiment_bucket_map":{"1":"2"}}"#,
    ])
    func aProfileOfAnotherFormIsNotReplaced(body: String) throws {
        let transport = MemoryTransport { _ in HTTPResponse(status: 200, body: Array(body.utf8)) }
        let store = AgentProfileStore(service(), transport: transport)
        #expect(throws: AgentProfileStore.UnreadableProfile.self) { try store.save(["1": "2"], for: "ada") }
        #expect(transport.requests.allSatisfy { $0.url == "http://h/lookup" })
    }

    @Test func settingsAreThoseOfTheAgent() throws {
        let settings = try JSONValue(
            parsing: """
                {"host": "http://h:1", "lookupPath": "/l", "savePath": "/s", "lookupMethod": "GET", "userIDKey": "id",
                 "headers": {"A": "b"}, "async": true}
                """)
        let service = try AgentProfileService(settings)
        #expect(service.lookupAddress == "http://h:1/l" && service.saveAddress == "http://h:1/s")
        #expect(service.lookupMethod == .get && service.saveMethod == .post)
        #expect(service.userIDKey == "id" && service.headers == ["A": "b"] && service.isAsync)
        let put = try JSONValue(
            parsing: #"{"host": "http://h", "lookupPath": "/l", "savePath": "/s", "saveMethod": "PUT"}"#)
        let problem = AgentServiceProblem(service: "rest", description: "\"saveMethod\" is neither GET nor POST")
        #expect(throws: problem) { try AgentProfileService(put) }
    }
}
