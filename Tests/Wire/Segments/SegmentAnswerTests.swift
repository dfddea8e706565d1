import LoopbackServer
import Optimizely
import Testing
import TurnoutClient

/// The result of each response to a segment request, in all forms of the call.
@Suite(.limitedConcurrency) struct SegmentAnswerTests {
    private let network: TestNetwork

    init() throws { network = try TestNetwork() }

    /// A response, and its result: the segments or an error.
    struct Answer: Sendable, CustomStringConvertible {
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

    private static let answers = [
        Answer("qualified", edges: node("gold", "qualified") + "," + node("silver", "not_qualified"), "gold"),
        Answer("nobody known", edges: ""),
        Answer(
            "odd nodes",
            edges: #"{},{"node":null},{"node":{"name":1,"state":"qualified"}},"# + node("gold", "qualified"), "gold"),
        Answer("unclassified error", edges: node("gold", "qualified"), "gold", more: #""errors":[{"message":"…"}],"#),
        Answer("no error", edges: node("gold", "qualified"), "gold", more: #""errors":[],"#),
        Answer("reset", .reset, error: "network error"), Answer("closed", .close, error: "network error"),
        Answer("garbage", .raw("garbage\r\n\r\n"), error: "network error"),
        Answer("400", .status(400), error: "400"), Answer("403", .status(403), error: "403"),
        Answer("404", .status(404, body: Array("{}".utf8)), error: "404"), Answer("429", .status(429), error: "429"),
        Answer("500", .status(500), error: "500"),
        Answer("302", .redirect(302, to: "/elsewhere"), error: "decode error"),
        Answer("no content", .status(200), error: "decode error"), Answer("no JSON", .json("{"), error: "decode error"),
        Answer("a page", .json("<html></html>"), error: "decode error"),
        Answer("no object", .json("[]"), error: "decode error"), Answer("empty", .json("{}"), error: "decode error"),
        Answer("no customer", .json(#"{"data":{"customer":null}}"#), error: "decode error"),
        Answer(
            "edges are no list", .json(#"{"data":{"customer":{"audiences":{"edges":{}}}}}"#), error: "decode error"),
        Answer(
            "edges are no objects", .json(#"{"data":{"customer":{"audiences":{"edges":[1]}}}}"#),
            error: "decode error"),
        Answer(
            "invalid identifier",
            errors(#""code":"INVALID_IDENTIFIER_EXCEPTION","classification":"DataFetchingException""#),
            error: "invalid identifier"),
        Answer(
            "another code", errors(#""code":"OTHER","classification":"DataFetchingException""#),
            error: "DataFetchingException"),
        Answer("no code", errors(#""classification":"ValidationError""#), error: "ValidationError"),
        Answer("a code alone", errors(#""code":"INVALID_IDENTIFIER_EXCEPTION""#), error: "decode error"),
    ]

    private func text(_ error: any Error) -> String {
        switch error {
        case OptimizelyError.invalidSegmentIdentifier: "invalid identifier"
        case OptimizelyError.fetchSegmentsFailed(let hint): hint
        case SegmentError.failed(let error): "\(error)"
        default: "\(error)"
        }
    }

    @Test(arguments: answers) func allFormsInterpretResponsesTheSame(_ answer: Answer) async throws {
        try network.always(Address.segments, answer.reply)
        let client = try network.started()
        for fetch in SegmentForm.allCases {
            let user = client.createUserContext(userId: "ada")
            user.qualifiedSegments = ["by hand"]
            do {
                try await fetch(user, [.ignoreCache])
                #expect(answer.error == nil && user.qualifiedSegments == answer.segments, "\(fetch)")
            } catch {
                #expect(text(error) == answer.error && user.qualifiedSegments == nil, "\(fetch)")
            }
        }
        #expect(try network.requests(Address.segments).count == 3, "one request each time")
        #expect(try network.requests("https://elsewhere").isEmpty)
    }

    @Test(arguments: answers) func theClientInterpretsResponsesTheSame(_ answer: Answer) async throws {
        try network.always(Address.segments, answer.reply)
        let client = try network.client { $0.segments = network.platform() }
        var ada = client.user("ada")
        ada.segments = ["by hand"]
        do {
            try await ada.fetchSegments()
            #expect(answer.error == nil && ada.segments == Set(answer.segments))
            #expect(ada.decide("loyal").isEnabled == answer.segments.contains("gold"))
        } catch {
            guard case .failed(let cause as OdpSegmentError) = error else { throw error }
            #expect(cause.vendorText == answer.error && ada.segments == ["by hand"])
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
            } catch {
                #expect((error as? OptimizelyError)?.reason == expected || text(error) == expected)
            }
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
