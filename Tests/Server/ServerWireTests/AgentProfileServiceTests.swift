import LoopbackServer
import TestSupport
import TurnoutServer

/// The Agent's service `rest` for assignments, over a socket.
@Suite("Assignments in a service", .blocking)
struct AgentProfileServiceTests {
    private let service: LoopbackServer
    private let store: AgentProfileStore

    init() throws {
        service = try LoopbackServer()
        try service.always(
            .json(#"{"user_id":"ada","experiment_bucket_map":{"1":{"variation_id":"2"}}}"#), to: "/lookup")
        try service.always(.status(204), to: "/save")
        store = AgentProfileStore(
            AgentProfileService(lookupAddress: service.address + "/lookup", saveAddress: service.address + "/save"),
            transport: LiveTransport.make())
    }

    private func saved() throws -> [String] {
        try service.requests(to: "/save").map { String(decoding: $0.body, as: UTF8.self) }
    }

    @Test func assignmentsAreAddedToThoseOfTheService() throws {
        try store.save(["3": "4"], for: "ada")
        let lookup = try #require(try service.requests(to: "/lookup").first)
        #expect(lookup.method == "POST" && lookup.headers["content-type"] == "application/json")
        #expect(String(decoding: lookup.body, as: UTF8.self) == #"{"user_id":"ada"}"#)
        #expect(
            try saved() == [
                #"{"experiment_bucket_map":{"1":{"variation_id":"2"},"3":{"variation_id":"4"}},"user_id":"ada"}"#
            ])
        try service.always(.status(404), to: "/lookup")
        try service.reply(to: "/lookup", with: .json(#"{"user_id":"ada","experiment_bucket_map":{"1":{}}}"#))
        try store.forget("ada")
        #expect(try saved().last == #"{"experiment_bucket_map":{},"user_id":"ada"}"#)
    }

    @Test(arguments: ["reset", "nothing", "garbage", "cut off", "refusal", "failure"])
    func aFailureReplacesNothing(_ failure: String) throws {
        let reply: Reply =
            switch failure {
            case "reset": .reset
            case "nothing": .body([])
            case "garbage": .json("<html>Log in</html>")
            case "cut off": .body(Array(#"{"user_id":"ada"}"#.utf8)).stopping(after: 5)
            case "refusal": .status(403)
            default: .status(503)
            }
        try service.always(reply, to: "/lookup")
        #expect(throws: (any Error).self) { try store.save(["3": "4"], for: "ada") }
        #expect(try saved().isEmpty)
        // It is used again as soon as it answers.
        try service.always(.status(404), to: "/lookup")
        try store.save(["3": "4"], for: "ada")
        #expect(try saved().count == 1)
    }

    @Test func anUnresponsiveServiceIsGivenUp() async throws {
        try service.always(.status(200).after(.seconds(60)), to: "/lookup")
        let time = await ContinuousClock().measure {
            await #expect(throws: (any Error).self) { _ = try await store.awaitProfile(of: "ada") }
        }
        #expect(time < .seconds(30))
    }
}
