/// A prediction source sends requests that the service understands, and handles all of its responses.
@Suite struct HTTPPredictionSourceTests {
    private let clock = ManualClock()

    private func source(
        _ transport: MemoryTransport, _ change: (inout HTTPPredictionOptions) -> Void = { _ in }
    ) -> HTTPPredictionSource {
        var options = HTTPPredictionOptions()
        options.pause = .zero
        change(&options)
        return .http(transport: transport, options: options)
    }

    private static let ada = PredictionRequest(userID: "ada", ruleID: "9300000002", attributes: [])

    private static func reply(_ text: String, status: Int = 200) -> HTTPResponse {
        HTTPResponse(status: status, body: Array(text.utf8))
    }

    @Test func theContractIsKept() async throws {
        let variations = Locked<[String: String]>([:])
        let transport = MemoryTransport { request in
            let experiment = request.url.split(separator: "/").last.map(String.init) ?? ""
            guard let id = variations.withLock({ $0[experiment] }) else { return HTTPResponse(status: 404) }
            return Self.reply(#"{"predictions":[{"variation_id":"\#(id)"}]}"#)
        }
        try await checkPredictionSource {
            source(transport)
        } predict: { _, variationID, experimentID in
            variations.withLock { $0[experimentID] = variationID }
        }
    }

    // MARK: The request

    @Test func theRequestHasTheExpectedFormat() async throws {
        let transport = MemoryTransport { _ in Self.reply(#"{"predictions":[{"variation_id":"1"}]}"#) }
        let attributes: [(String, AttributeValue)] = [
            ("7002", 31), ("7001", "gold"), ("7003", true), ("7004", .null), ("7005", 1.5), ("7006", .double(.nan)),
            ("7007", .array(["a"])), ("7008", .object(["a": 1])), ("7009", "é\"\n"),
        ]
        let request = PredictionRequest(
            userID: "user_1", ruleID: "9300000002", attributes: attributes.map { (id: $0.0, value: $0.1) })
        _ = try await source(transport).variationID(for: request, uuid: "6B1C3C54-0C39-4C5D-9C53-0B2B7F7B8E11")
        let sent = try #require(transport.requests.first)
        #expect(sent.method == .post && sent.deadline == .seconds(10))
        #expect(sent.url == "https://prediction.cmab.optimizely.com/predict/9300000002")
        #expect(sent.headers == ["Content-Type": "application/json"])
        let values = [
            #"{"id":"7001","value":"gold","type":"custom_attribute"}"#,
            #"{"id":"7002","value":31,"type":"custom_attribute"}"#,
            #"{"id":"7003","value":true,"type":"custom_attribute"}"#,
            #"{"id":"7004","value":null,"type":"custom_attribute"}"#,
            #"{"id":"7005","value":1.5,"type":"custom_attribute"}"#,
            #"{"id":"7007","value":["a"],"type":"custom_attribute"}"#,
            #"{"id":"7008","value":{"a":1},"type":"custom_attribute"}"#,
            #"{"id":"7009","value":"é\"\n","type":"custom_attribute"}"#,
        ]
        #expect(
            String(decoding: sent.body, as: UTF8.self)
                == #"{"instances":[{"visitorId":"user_1","experimentId":"9300000002","attributes":["#
                + values.joined(separator: ",") + #"],"cmabUUID":"6B1C3C54-0C39-4C5D-9C53-0B2B7F7B8E11"}]}"#)
    }

    @Test func theAddressIsConfigurable() async throws {
        let transport = MemoryTransport { _ in Self.reply(#"{"predictions":[{"variation_id":"1"}]}"#) }
        let request = PredictionRequest(userID: "ada", ruleID: "../1", attributes: [])
        for address in ["https://example.test/{ruleID}/p", "https://example.test/%@/p"] {
            _ = try await source(transport) { $0.address = address }.variationID(for: request, uuid: "u")
        }
        #expect(transport.requests.map(\.url) == Array(repeating: "https://example.test/..%2F1/p", count: 2))
        for address in ["", "https://example.test/p", "example.test/%@", "https://example.test/%@/%d"] {
            let source = source(transport) { $0.address = address }
            let error = await #expect(throws: PredictionError.self) {
                try await source.variationID(for: request, uuid: "u")
            }
            guard case .misconfigured = error else {
                Issue.record("\(address): \(String(describing: error))")
                return
            }
        }
        #expect(transport.requests.count == 2)
    }

    // MARK: The response

    @Test(arguments: [#""9400000007""#, "9400000007"]) func textsAndIntegersAreIDs(id: String) async throws {
        let reply = Self.reply(#"{"predictions":[{"variation_id":\#(id)},{"variation_id":"2"}]}"#, status: 201)
        let response = try await source(MemoryTransport { _ in reply }).variationID(for: Self.ada, uuid: "u")
        #expect(response == "9400000007")
    }

    @Test func failedConnectionsAreRetried() async {
        let cases: [(any Error, any Error & Equatable, Int)] = [
            (TransportError(.unreachable, "no route"), TransportError(.unreachable, "no route"), 2),
            (TransportError(.deadlineExceeded, "late"), TransportError(.deadlineExceeded, "late"), 2),
            (TransportError(.badAddress, "bad"), TransportError(.badAddress, "bad"), 1),
            (TestError(), PredictionError.unreachable, 2),
        ]
        for (thrown, expected, attempts) in cases {
            let transport = MemoryTransport { _ in throw thrown }
            do {
                _ = try await source(transport).variationID(for: Self.ada, uuid: "u")
                Issue.record("no error")
            } catch { #expect("\(error)" == "\(expected)") }
            #expect(transport.requests.count == attempts)
        }
    }

    @Test func theSecondAttemptIsDelayed() async throws {
        let responses = Locked([HTTPResponse(status: 500), Self.reply(#"{"predictions":[{"variation_id":"7"}]}"#)])
        let transport = MemoryTransport { _ in responses.withLock { $0.removeFirst() } }
        var options = HTTPPredictionOptions()
        options.clock = clock
        let source = HTTPPredictionSource(transport: transport, options: options)
        async let response = source.variationID(for: Self.ada, uuid: "u")
        try await wait("the source waits") { clock.sleeperCount == 1 }
        #expect(transport.requests.count == 1)
        clock.advance(by: .milliseconds(100))
        #expect(try await response == "7")
    }

    @Test func theResponseSizeIsLimited() async {
        let id = String(repeating: "9", count: 1 << 16)
        let transport = MemoryTransport { _ in Self.reply(#"{"predictions":[{"variation_id":"\#(id)"}]}"#) }
        await #expect(throws: PredictionError.invalidResponse) {
            try await source(transport).variationID(for: Self.ada, uuid: "")
        }
        #expect(transport.requests.map(\.maximumResponseSize) == [1 << 16])
    }

    @Test func errorsContainNothingPersonal() {
        let errors: [PredictionError] = [.misconfigured("why"), .status(403), .invalidResponse, .unreachable]
        #expect(
            errors.map { "\($0)" } == [
                "the address of the prediction service cannot be used: why",
                "the prediction service responded with HTTP status 403",
                "the response of the prediction service names no variation",
                "the prediction service could not be reached",
            ])
    }
}
