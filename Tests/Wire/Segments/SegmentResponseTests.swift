/// The result of each response to a segment request, in all forms of the call.
@Suite(.blocking) struct SegmentResponseTests {
    private let network: TestNetwork

    init() throws { network = try TestNetwork() }

    /// A response, and its result: the segments or an error.
    struct Response: Sendable, CustomStringConvertible {
        let description: String
        let reply: Reply
        var segments: [String] = []
        var error: String?

        init(_ name: String, _ reply: Reply, error: String) {
            (description, self.reply, self.error) = (name, reply, error)
        }

        init(_ name: String, edges: String, _ segments: String..., more: String = "") {
            description = name
            reply = .json(#"{\#(more)"data":{"customer":{"audiences":{"edges":[\#(edges)]}}}}"#)
            self.segments = segments
        }
    }

    private static func node(_ name: String, _ state: String) -> String {
        #"{"node":{"name":"\#(name)","state":"\#(state)"}}"#
    }

    private static func errors(_ extensions: String) -> Reply {
        .json(#"{"errors":[{"message":"…","extensions":{\#(extensions)}}],"data":{"customer":null}}"#)
    }

    private static let responses = [
        Response("qualified", edges: node("gold", "qualified") + "," + node("silver", "not_qualified"), "gold"),
        Response("nobody known", edges: ""),
        Response(
            "odd nodes",
            edges: #"{},{"node":null},{"node":{"name":1,"state":"qualified"}},"# + node("gold", "qualified"), "gold"),
        Response("unclassified error", edges: node("gold", "qualified"), "gold", more: #""errors":[{"message":"…"}],"#),
        Response("no error", edges: node("gold", "qualified"), "gold", more: #""errors":[],"#),
        Response("reset", .reset, error: "network error"), Response("closed", .close, error: "network error"),
        Response("garbage", .raw("garbage\r\n\r\n"), error: "network error"),
        Response("400", .status(400), error: "400"), Response("403", .status(403), error: "403"),
        Response("404", .status(404, body: Array("{}".utf8)), error: "404"),
        Response("429", .status(429), error: "429"), Response("500", .status(500), error: "500"),
        Response("302", .redirect(302, to: "/elsewhere"), error: "decode error"),
        Response("no content", .status(200), error: "decode error"),
        Response("no JSON", .json("{"), error: "decode error"),
        Response("a page", .json("<html></html>"), error: "decode error"),
        Response("no object", .json("[]"), error: "decode error"),
        Response("empty", .json("{}"), error: "decode error"),
        Response("no customer", .json(#"{"data":{"customer":null}}"#), error: "decode error"),
        Response(
            "edges are no list", .json(#"{"data":{"customer":{"audiences":{"edges":{}}}}}"#), error: "decode error"),
        Response(
            "edges are no objects", .json(#"{"data":{"customer":{"audiences":{"edges":[1]}}}}"#),
            error: "decode error"),
        Response(
            "invalid identifier",
            errors(#""code":"INVALID_IDENTIFIER_EXCEPTION","classification":"DataFetchingException""#),
            error: "invalid identifier"),
        Response(
            "another code", errors(#""code":"OTHER","classification":"DataFetchingException""#),
            error: "DataFetchingException"),
        Response("no code", errors(#""classification":"ValidationError""#), error: "ValidationError"),
        Response("a code alone", errors(#""code":"INVALID_IDENTIFIER_EXCEPTION""#), error: "decode error"),
    ]

    private func text(_ error: any Error) -> String {
        switch error {
        case OptimizelyError.invalidSegmentIdentifier: "invalid identifier"
        case OptimizelyError.fetchSegmentsFailed(let hint): hint
        case SegmentError.failed(let error): "\(error)"
        default: "\(error)"
        }
    }

    @Test(arguments: responses) func allFormsInterpretResponsesTheSame(_ response: Response) async throws {
        try network.always(Address.segments, response.reply)
        let client = try network.started()
        for fetch in SegmentForm.allCases {
            let user = client.createUserContext(userId: "ada")
            user.qualifiedSegments = ["by hand"]
            do {
                try await fetch(user, [.ignoreCache])
                #expect(response.error == nil && user.qualifiedSegments == response.segments, "\(fetch)")
            } catch { #expect(text(error) == response.error && user.qualifiedSegments == nil, "\(fetch)") }
        }
        #expect(try network.requests(Address.segments).count == 3, "one request each time")
        #expect(try network.requests("https://elsewhere").isEmpty)
    }

    @Test(arguments: responses) func theClientInterpretsResponsesTheSame(_ response: Response) async throws {
        try network.always(Address.segments, response.reply)
        let client = try network.client { $0.segments = network.platform() }
        var ada = client.user("ada")
        ada.segments = ["by hand"]
        do {
            try await ada.fetchSegments()
            #expect(response.error == nil && ada.segments == Set(response.segments))
            #expect(ada.decide("loyal").isEnabled == response.segments.contains("gold"))
        } catch {
            guard case .failed(let cause as OdpSegmentError) = error else { throw error }
            #expect(cause.vendorText == response.error && ada.segments == ["by hand"])
        }
    }

    @Test(arguments: SegmentForm.allCases)
    func impossibleQueriesAreNotSent(_ fetch: SegmentForm) async throws {
        let segments = OdpSegmentManager(cacheSize: 10, cacheTimeoutInSecs: 600, apiManager: SegmentsByPostalAddress())
        let platform = OdpManager(
            sdkKey: unique("key"), disable: false, cacheSize: 10, cacheTimeoutInSecs: 600, segmentManager: segments)
        let client = try network.started(platform: platform)
        let user = client.createUserContext(userId: "ada")
        for _ in 1...2 {
            let error = await #expect(throws: OptimizelyError.self) { try await fetch(user, []) }
            #expect(error.map { text($0) } == "invalid query.")
            #expect(user.qualifiedSegments == nil)
        }
        #expect(try network.requests(Address.segments).isEmpty)
    }

    @Test func aSlowResponseIsAnError() async throws {
        try network.always(Address.segments, .stall)
        let client = try network.started(settings: OptimizelySdkSettings(timeoutForSegmentFetchInSecs: 1))
        let user = client.createUserContext(userId: "ada")
        let error = await #expect(throws: OptimizelyError.self) { try await user.fetchQualifiedSegments() }
        #expect(error.map { text($0) } == "network error")
    }

    @Test(arguments: SegmentForm.allCases)
    func noRequestIsSentWithoutSegmentsToFetch(_ fetch: SegmentForm) async throws {
        let idle: [(Datafile, OptimizelySdkSettings?, String?)] = [
            (Datafile(), OptimizelySdkSettings(disableOdp: true), OptimizelyError.odpNotEnabled.reason),
            (Datafile(odpHost: nil), nil, "apiKey/apiHost not defined"),
            (Datafile(odpKey: nil), nil, "apiKey/apiHost not defined"),
            (Datafile(odpHost: nil, odpKey: nil), nil, "apiKey/apiHost not defined"),
            (Datafile(segments: []), nil, nil),
        ]
        for (datafile, settings, expected) in idle {
            let client = try network.started(datafile, settings: settings)
            let user = client.createUserContext(userId: "ada")
            do {
                try await fetch(user, [])
                #expect(expected == nil && user.qualifiedSegments == [])
            } catch { #expect((error as? OptimizelyError)?.reason == expected || text(error) == expected) }
        }
        let early = network.optimizely()
        let user = early.createUserContext(userId: "ada")
        await #expect(throws: OptimizelyError.self) { try await fetch(user, []) }
        #expect(try network.requests(Address.segments).isEmpty)
    }
}

/// Uses a user key that is invalid in a query.
private final class SegmentsByPostalAddress: OdpSegmentApiManager {
    override func fetchSegments(
        apiKey: String, apiHost: String, userKey: String, userValue: String, segmentsToCheck: [String],
        completionHandler: @escaping ([String]?, OptimizelyError?) -> Void
    ) {
        super.fetchSegments(
            apiKey: apiKey, apiHost: apiHost, userKey: "postal address", userValue: userValue,
            segmentsToCheck: segmentsToCheck, completionHandler: completionHandler)
    }
}
