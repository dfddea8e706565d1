#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Custom sessions for datafiles.
@Suite(.blocking) struct DatafileSessionTests {
    private final class Handler: FileHandler {
        override func getSession(resourceTimeoutInterval: Double?) -> URLSession {
            let configuration = URLSessionConfiguration.ephemeral
            configuration.timeoutIntervalForResource = 60
            return URLSession(configuration: configuration)
        }
    }

    @Test(arguments: [false, true]) func datafileSizesAreLimited(isChunked: Bool) async throws {
        let server = try LoopbackServer()
        let reply = Reply.zeros(80 << 20)
        try server.always(isChunked ? reply.chunked() : reply.dripping(1_000, every: .seconds(1)), to: "/key")
        let handler = Handler()
        handler.log = .silent
        handler.endPointStringFormat = server.address + "/%@"
        let error: OptimizelyError? = await withCheckedContinuation { continuation in
            handler.downloadDatafile(sdkKey: "key", returnCacheIfNoChange: false, resourceTimeoutInterval: 60) {
                guard case .failure(let error) = $0 else { return continuation.resume(returning: nil) }
                continuation.resume(returning: error)
            }
        }
        withExtendedLifetime(server) {}
        #expect(error?.errorDescription?.contains("larger than") == true, "\(String(describing: error))")
    }
}
