import Foundation

#if Curl && os(Linux)
    /// A proxy that does not connect to the server.
    @Suite(.blocking) struct ProxyTests {
        @Test(arguments: [(407, "it requires a login"), (403, "it does not allow that host"), (418, "418")])
        func aRefusalNamesTheProxyAndItsStatus(status: Int, reason: String) async throws {
            let server = try LoopbackServer()
            try server.always(.status(status), to: "shop.example:443")
            // In a separate process, because the environment is process-wide.
            await #expect(processExitsWith: .success) {
                [port = Int(server.port) as Int, status = status as Int, reason = reason as String] in
                setenv("https_proxy", "http://user:secret@127.0.0.1:\(port)/", 1)
                for name in ["no_proxy", "NO_PROXY"] { unsetenv(name) }
                let request = HTTPRequest(.get, "https://shop.example/key.json", deadline: .seconds(60))
                let error = await #expect(throws: TransportError.self) {
                    try await Network.curl.transport().send(request)
                }
                let message = error?.message ?? ""
                let expected = "the proxy 127.0.0.1:\(port) refused to connect to shop.example with status \(status)"
                #expect(error?.code == .unreachable && message.hasPrefix(expected), "\(message)")
                #expect(message.contains(reason) && !message.contains("secret") && !message.contains("key.json"))
                let other = await #expect(throws: TransportError.self) {
                    try await Network.urlSession.transport().send(request)
                }
                #expect(
                    other?.message
                        == "the proxy that the environment names refused to connect to shop.example with status "
                        + "\(status)")
            }
        }
    }
#endif
