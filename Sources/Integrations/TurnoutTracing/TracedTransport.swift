#if Tracing
    public import Tracing
    public import TurnoutClient

    /// A transport that records a span for each request of another one, and for each stream that it opens.
    ///
    /// ```swift
    /// configuration.transport = .curl.traced()
    /// ```
    ///
    /// The span has the kind `client`, the method as its name, and the attributes `http.request.method`,
    /// `server.address`, `server.port` and `http.response.status_code`, as OpenTelemetry names them. It fails if there
    /// is no response, or if the status is 400 or higher. Addresses, headers and bodies are not recorded: they contain
    /// keys and users.
    ///
    /// Requests of polling and delivery are made in the background, so their spans have no parent. A request that
    /// several callers wait for, such as one for a prediction, is a child of the first caller's span.
    public struct TracedTransport<Base: Transport>: Transport {
        private let base: Base
        private let tracer: (any Tracer)?
        private let propagatesContext: Bool

        /// Creates a transport; `traced(by:propagatingContext:)` is shorter.
        public init(_ base: Base, tracer: (any Tracer)? = nil, propagatesContext: Bool = false) {
            self.base = base
            self.tracer = tracer
            self.propagatesContext = propagatesContext
        }

        /// Sends the request, and records it in a span.
        public func send(_ request: HTTPRequest) async throws -> HTTPResponse {
            try await recorded(request) {
                try await base.send($0)
            } status: {
                $0.status
            }
        }

        private func recorded<Response: Sendable>(
            _ request: HTTPRequest, _ send: (HTTPRequest) async throws -> Response, status: (Response) -> Int
        ) async throws -> Response {
            let tracer = tracer ?? InstrumentationSystem.tracer
            let span = tracer.startSpan(request.method.rawValue, ofKind: .client)
            defer { span.end() }
            span.attributes = SpanAttributes(request)
            var request = request
            if propagatesContext { tracer.inject(span.context, into: &request.headers, using: HeaderInjector()) }
            do {
                let response = try await ServiceContext.withValue(span.context) { try await send(request) }
                let status = status(response)
                span.attributes["http.response.status_code"] = status
                if status >= 400 { span.setStatus(SpanStatus(code: .error)) }
                return response
            } catch {
                span.attributes["error.type"] = String(describing: type(of: error))
                // The description of a foreign error may contain the address, and so a key.
                if error is any PrintableError { span.recordError(error) }
                span.setStatus(SpanStatus(code: .error))
                throw error
            }
        }
    }

    extension TracedTransport: StreamingTransport where Base: StreamingTransport {
        /// Opens a stream, and records that in a span, which ends when the head of the response has arrived.
        public func stream(_ request: HTTPRequest) async throws -> StreamedResponse {
            try await recorded(request) {
                try await base.stream($0)
            } status: {
                $0.status
            }
        }
    }

    extension Transport {
        /// Returns the transport with a span for each request.
        ///
        /// - Parameters:
        ///   - tracer: Records the spans. Default: nil, the one of `InstrumentationSystem` at the time of the request.
        ///   - propagatingContext: Whether requests carry the span's context, in the headers that the tracer chooses.
        ///     Use it for servers of your own; others would learn your trace ids. Default: false.
        /// - Returns: A transport that sends over this one.
        public func traced(by tracer: (any Tracer)? = nil, propagatingContext: Bool = false) -> TracedTransport<Self> {
            TracedTransport(self, tracer: tracer, propagatesContext: propagatingContext)
        }
    }

    /// Adds the headers of a tracer to those of a request.
    private struct HeaderInjector: Injector {
        func inject(_ value: String, forKey key: String, into headers: inout [String: String]) { headers[key] = value }
    }

    extension SpanAttributes {
        /// The facts about a request that contain no key and no user.
        fileprivate init(_ request: HTTPRequest) {
            self = ["http.request.method": .string(request.method.rawValue)]
            // The last part: an address may contain a user name.
            let server = request.authority.split(separator: "@").last ?? ""
            let parts = server.split(separator: ":", omittingEmptySubsequences: false)
            guard let port = parts.count > 1 ? Int(parts[parts.count - 1]) : nil else {
                self["server.address"] = String(server)
                return
            }
            self["server.address"] = parts.dropLast().joined(separator: ":")
            self["server.port"] = port
        }
    }

    extension SpanEvent {
        /// An event about a decision, for the span of the work that it was made for.
        ///
        /// ```swift
        /// let checkout = ada.decide("checkout_redesign")
        /// span.addEvent(.decision(checkout))
        /// ```
        ///
        /// It is named `feature_flag.evaluation`, with the attributes `feature_flag.key`, `feature_flag.provider.name`,
        /// `feature_flag.result.variant` and `feature_flag.result.reason`, as OpenTelemetry names them; the reason is
        /// the decision's stage. The user is not recorded.
        public static func decision(_ decision: Decision) -> SpanEvent {
            var attributes: SpanAttributes = [
                "feature_flag.key": .string(decision.flagKey),
                "feature_flag.provider.name": "turnout",
                "feature_flag.result.reason": .string(decision.stage.rawValue),
            ]
            attributes["feature_flag.result.variant"] = decision.variationKey
            if decision.isError { attributes["error.type"] = decision.stage.rawValue }
            return SpanEvent(name: "feature_flag.evaluation", attributes: attributes)
        }
    }
#endif
