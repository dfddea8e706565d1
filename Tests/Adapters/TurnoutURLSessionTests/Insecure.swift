import LoopbackServer
import Testing
import TurnoutClient
import TurnoutURLSession

extension Transport where Self == URLSessionTransport {
    /// One that talks to the test server, which has no certificate.
    static var insecure: URLSessionTransport { .urlSession(.init(allowsInsecureHTTP: true)) }

    /// One that accepts no more than so many bytes.
    static func accepting(_ size: Int) -> URLSessionTransport {
        .urlSession(.init(allowsInsecureHTTP: true, maximumResponseSize: size))
    }
}

/// Expects that there is no answer, for a certain reason.
func expectNoAnswer(
    _ code: TransportError.Code, to request: HTTPRequest, over transport: URLSessionTransport = .insecure,
    sourceLocation: SourceLocation = #_sourceLocation
) async {
    let error = await #expect(throws: TransportError.self, sourceLocation: sourceLocation) {
        _ = try await transport.send(request)
    }
    guard let error else { return }
    #expect(error.code == code, "\(error)", sourceLocation: sourceLocation)
    // What an error says ends in logs.
    #expect(!error.message.contains("127.0.0.1"), "\(error)", sourceLocation: sourceLocation)
}
