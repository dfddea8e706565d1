import LoopbackServer
import Testing
import TurnoutClient
import TurnoutCurl
import TurnoutURLSession

/// An adapter that sends requests. Each has to pass the same tests.
enum Network: String, CaseIterable, Codable, Sendable {
    case urlSession
    #if Curl && os(Linux)
        case curl
    #endif

    /// The one under test.
    @TaskLocal static var current = Network.urlSession

    /// A transport that talks to the test server, which has no certificate.
    static var insecure: any Transport { current.insecure }
    var insecure: any Transport { transport(TransportOptions(allowsInsecureHTTP: true)) }

    /// One that accepts no more than so many bytes.
    static func accepting(_ size: Int) -> any Transport {
        current.transport(TransportOptions(allowsInsecureHTTP: true, maximumResponseSize: size))
    }

    func transport(_ options: TransportOptions = TransportOptions()) -> any Transport {
        switch self {
        case .urlSession: .urlSession(options)
        #if Curl && os(Linux)
            case .curl: .curl(options)
        #endif
        }
    }
}

/// Runs each test over one network after the other.
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

/// Expects that there is no answer, for a certain reason.
func expectNoAnswer(
    _ code: TransportError.Code, to request: HTTPRequest, over transport: any Transport = Network.insecure,
    sourceLocation: SourceLocation = #_sourceLocation
) async {
    let error = await #expect(throws: TransportError.self, "\(Network.current)", sourceLocation: sourceLocation) {
        _ = try await transport.send(request)
    }
    guard let error else { return }
    #expect(error.code == code, "\(Network.current): \(error)", sourceLocation: sourceLocation)
    // What an error says ends in logs.
    #expect(!error.message.contains("127.0.0.1"), "\(error)", sourceLocation: sourceLocation)
}
