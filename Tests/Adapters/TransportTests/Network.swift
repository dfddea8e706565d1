import TurnoutCurl
import TurnoutURLSession

/// A transport adapter. All adapters have to pass the same tests.
enum Network: String, CaseIterable, Codable, Sendable {
    case urlSession
    #if Curl && os(Linux)
        case curl
    #endif

    /// The adapter under test.
    @TaskLocal static var current = Network.urlSession

    /// A transport for the test server, which has no certificate.
    static var insecure: any StreamingTransport { current.insecure }
    var insecure: any StreamingTransport { transport(TransportOptions(allowsInsecureHTTP: true)) }

    /// A transport with a maximum response size.
    static func accepting(_ size: Int) -> any Transport {
        current.transport(TransportOptions(allowsInsecureHTTP: true, maximumResponseSize: size))
    }

    func transport(_ options: TransportOptions = TransportOptions()) -> any StreamingTransport {
        switch self {
        case .urlSession: .urlSession(options)
        #if Curl && os(Linux)
            case .curl: .curl(options)
        #endif
        }
    }
}

/// Runs each test with every adapter in turn.
struct OverEachNetwork: SuiteTrait, TestTrait, TestScoping {
    let isRecursive = true

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable @concurrent () async throws -> Void
    ) async throws {
        guard testCase != nil else { return try await function() }
        for network in Network.allCases { try await Network.$current.withValue(network) { try await function() } }
    }
}

extension Trait where Self == OverEachNetwork {
    static var overEachNetwork: OverEachNetwork { OverEachNetwork() }
}

/// Expects that a request fails with a certain code.
func expectNoResponse(
    _ code: TransportError.Code, to request: HTTPRequest, over transport: any Transport = Network.insecure,
    sourceLocation: SourceLocation = #_sourceLocation
) async {
    let error = await #expect(throws: TransportError.self, "\(Network.current)", sourceLocation: sourceLocation) {
        _ = try await transport.send(request)
    }
    guard let error else { return }
    #expect(error.code == code, "\(Network.current): \(error)", sourceLocation: sourceLocation)
    // Error messages are logged: they may name a host, but a path may contain a key.
    let path = request.url.drop { $0 != ":" }.dropFirst(3).drop { $0 != "/" }
    #expect(path.count < 2 || !error.message.contains(path), "\(error)", sourceLocation: sourceLocation)
}
