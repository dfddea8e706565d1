#if Server && Curl && os(Linux)
    import TestSupport
    import TurnoutCurl
    import TurnoutFlags
    import TurnoutServer

    /// A server on a free port that is its datafile's data platform.
    struct SegmentServer {
        static let sdkKey = "shop"
        static let projectID = "12001"
        let server: Server
        let address: String
        let log = MemoryLog(level: .warning)

        /// Starts the server, and publishes a datafile that names it as the data platform.
        init(defined: [AuthoredSegment] = []) throws {
            let directory = TemporaryDirectory()
            let adapters = ServerAdapters(
                listener: SocketListener(threads: 2), cryptography: NettleCryptography(),
                storage: ServerStorage(directory: directory.path, messages: directory.log),
                log: StructuredLog(LogOptions()) { _ in })
            var configuration = ServerConfiguration()
            configuration.access.allowsLocalManagement = true
            server = Server(configuration, adapters: adapters)
            address = "http://127.0.0.1:\(try server.start())"
            try server.datafiles.publish(Array(datafile.utf8), for: Self.sdkKey)
            server.datafiles.define(defined.map { DefinedSegment($0, of: Self.projectID) }, by: "test")
        }

        /// A datafile whose only audience tests for two segments.
        var datafile: String {
            """
            {"version":"4","projectId":"\(Self.projectID)","accountId":"1","revision":"7","anonymizeIP":true,
             "experiments":[],"events":[],"featureFlags":[],"rollouts":[],"attributes":[],"groups":[],
             "audiences":[],"typedAudiences":[{"id":"1","name":"a","conditions":["or",
               {"type":"third_party_dimension","name":"odp.audiences","match":"qualified","value":"vip"},
               {"type":"third_party_dimension","name":"odp.audiences","match":"qualified","value":"collectors"}]}],
             "integrations":[{"key":"odp","host":"\(address)","publicKey":"shop-segments"}]}
            """
        }

        /// The response to a management request.
        @discardableResult
        func manage(_ method: String, _ path: String, _ body: String = "") async -> (status: Int, text: String) {
            let head = RequestHead(method, path, headers: ["Host": "localhost", "Content-Type": "text/csv"])
            let response = await server.handler.respond(to: ServerRequest(head, body: Array(body.utf8))).response
            guard case .bytes(let bytes) = response.body else { return (response.status, "") }
            return (response.status, String(decoding: bytes, as: UTF8.self))
        }

        func stop() async { await server.stop(immediately: true) }
    }

    /// Sends the requests for all hosts to one server.
    struct RedirectedTransport: Transport {
        let address: String
        private let network = CurlTransport()

        init(to address: String) { self.address = address }

        func send(_ request: HTTPRequest) async throws -> HTTPResponse {
            var request = request
            let afterScheme = request.url.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
            request.url = address + "/" + (afterScheme.count > 3 ? afterScheme[3] : "")
            return try await network.send(request)
        }
    }
#endif
