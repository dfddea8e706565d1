import Testing
import TurnoutClient
import TurnoutEngine

@Suite struct OdpSegmentQueryTests {
    private let service = OdpService(host: "https://platform.test", key: "public-key")

    private func response(_ body: String, status: Int = 200) -> HTTPResponse {
        HTTPResponse(status: status, body: Array(body.utf8))
    }

    private func edges(_ edges: String) -> HTTPResponse {
        response(#"{"data":{"customer":{"audiences":{"edges":\#(edges)}}}}"#)
    }

    @Test func requestContainsTheKeyInAHeader() throws {
        let request = try OdpSegmentQuery(userID: "ada", candidates: ["loyal"]).request(to: service)
        #expect(request.method == .post)
        #expect(request.url == "https://platform.test/v3/graphql")
        #expect(request.headers == ["Content-Type": "application/json", "x-api-key": "public-key"])
        #expect(request.deadline == .seconds(10))
    }

    @Test func requestMatchesTheServiceExactly() throws {
        let query = OdpSegmentQuery(userID: "user_1", candidates: ["loyal_buyer", "weekend_visitor"])
        let text = String(decoding: try query.request(to: service).body, as: UTF8.self)
        let expected =
            #"{"query":"query($userId: String, $audiences: [String]) {customer(fs_user_id: $userId) "#
            + #"{audiences(subset: $audiences) {edges {node {name state}}}}}","#
            + #""variables":{"userId":"user_1","audiences":["loyal_buyer","weekend_visitor"]}}"#
        #expect(text == expected)
    }

    @Test(arguments: ["vuid_1", "VUID_1", "Vuid_"]) func visitorsAreQueriedByVUID(id: String) throws {
        let body = try OdpSegmentQuery(userID: id, candidates: ["a"]).request(to: service).body
        #expect(String(decoding: body, as: UTF8.self).contains("customer(vuid: $userId)"))
    }

    @Test(arguments: ["vuid", "user_vuid_1", ""]) func otherUsersAreQueriedByUserID(id: String) {
        #expect(OdpUserKey(for: id) == .userID)
    }

    @Test func quotesInAnIDCannotChangeTheQuery() throws {
        let query = OdpSegmentQuery(userID: #"x") {evil}"#, candidates: [#"a"b"#])
        let body = try JSONValue(parsing: try query.request(to: service).body)
        #expect(
            body["variables"] == .object(["userId": .string(#"x") {evil}"#), "audiences": .array([.string(#"a"b"#)])]))
    }

    @Test(arguments: ["", "a b", "x){y}"]) func userKeyMustBeAName(key: String) {
        #expect(throws: OdpSegmentError.invalidQuery) {
            try OdpSegmentQuery(userKey: key, userID: "ada", candidates: ["a"]).request(to: service)
        }
    }

    @Test func onlyQualifiedSegmentsCount() throws {
        let reply = edges(
            """
            [{"node":{"name":"a","state":"qualified"}},{"node":{"name":"b","state":"not_qualified"}},
             {"node":{"name":7,"state":"qualified"}},{"node":{"name":"c"}},{},{"node":null},
             {"node":{"name":"d","state":"qualified"}}]
            """)
        #expect(try OdpSegmentQuery.segments(in: reply) == ["a", "d"])
    }

    @Test func withoutEdgesThereAreNoSegments() throws {
        #expect(try OdpSegmentQuery.segments(in: edges("[]")) == [])
    }

    @Test(arguments: [400, 403, 404, 500, 503]) func statusIsReported(status: Int) {
        let reply = response(#"{"data":{"customer":{"audiences":{"edges":[]}}}}"#, status: status)
        #expect(throws: OdpSegmentError.status(status)) { try OdpSegmentQuery.segments(in: reply) }
        #expect(OdpSegmentError.status(status).vendorText == "\(status)")
    }

    @Test(arguments: [
        "", "[]", "no JSON", #"{"data":{}}"#, #"{"data":{"customer":null}}"#,
        #"{"data":{"customer":{"audiences":{"edges":{}}}}}"#, #"{"data":{"customer":{"audiences":{"edges":[1]}}}}"#,
    ])
    func malformedResponsesAreUnreadable(body: String) {
        #expect(throws: OdpSegmentError.unreadable) { try OdpSegmentQuery.segments(in: response(body)) }
    }

    @Test func invalidIdentifierHasItsOwnError() {
        let body =
            #"{"errors":[{"message":"identifier not found","extensions":{"code":"INVALID_IDENTIFIER_EXCEPTION","#
            + #""classification":"DataFetchingException"}}],"data":{"customer":null}}"#
        #expect(throws: OdpSegmentError.invalidIdentifier) { try OdpSegmentQuery.segments(in: response(body)) }
    }

    @Test(arguments: [#""code":"OTHER","#, ""]) func otherErrorsAreReportedByTheirKind(code: String) {
        let body = #"{"errors":[{"extensions":{\#(code)"classification":"TimeOut"}}],"data":{"customer":null}}"#
        #expect(throws: OdpSegmentError.service("TimeOut")) { try OdpSegmentQuery.segments(in: response(body)) }
    }

    @Test func unclassifiedErrorsDoNotDiscardTheSegments() throws {
        let body =
            #"{"errors":[{"message":"slow"}],"data":{"customer":{"audiences":{"edges":["#
            + #"{"node":{"name":"a","state":"qualified"}}]}}}}"#
        #expect(try OdpSegmentQuery.segments(in: response(body)) == ["a"])
        #expect(throws: OdpSegmentError.unreadable) {
            try OdpSegmentQuery.segments(in: response(#"{"errors":[{"message":"slow"}]}"#))
        }
    }

    // MARK: Source

    @Test func sourceQueriesTheService() async throws {
        let reply = edges(#"[{"node":{"name":"a","state":"qualified"}}]"#)
        let transport = MemoryTransport { _ in reply }
        #expect(try await OdpSegmentSource(service, transport: transport).segments(of: "ada", among: ["a"]) == ["a"])
        #expect(transport.requests.count == 1)
    }

    @Test func anEmptySegmentListSendsNoRequest() async throws {
        let transport = MemoryTransport()
        #expect(try await OdpSegmentSource(service, transport: transport).segments(of: "ada", among: []) == [])
        #expect(transport.requests.isEmpty)
    }

    @Test func brokenNetworkIsUnreachable() async {
        struct TestError: Error {}
        let causes: [(any Error, OdpSegmentError)] = [
            (TransportError(.unreachable, "no route"), .noResponse("no route")), (TestError(), .unreachable),
        ]
        for (cause, error) in causes {
            let transport = MemoryTransport { _ in throw cause }
            await #expect(throws: error) {
                try await OdpSegmentSource(service, transport: transport).segments(of: "ada", among: ["a"])
            }
            #expect(error.vendorText == "network error")
        }
        #expect(OdpSegmentError.noResponse("no route").description == "the data platform did not respond: no route")
    }
}
