/// Requests predictions from a server.
///
/// ```swift
/// configuration.predictions = .http(transport: transport)
/// ```
///
/// A request that fails for a transient reason, such as a lost connection or a status of 500, is retried once.
public struct HTTPPredictionSource: PredictionSource {
    private let template: AddressTemplate
    private let transport: any Transport
    private let options: HTTPPredictionOptions

    /// Creates a source.
    ///
    /// - Parameters:
    ///   - transport: The transport to the service.
    ///   - options: The service and the request options. Default: the vendor's service.
    public init(transport: any Transport, options: HTTPPredictionOptions = HTTPPredictionOptions()) {
        self.transport = transport
        self.options = options
        template = AddressTemplate(options.address, placeholder: "ruleID")
    }

    /// Requests a prediction.
    ///
    /// - Throws: ``PredictionError``, `TransportError`, or `CancellationError`.
    public func variationID(for request: PredictionRequest, uuid: String) async throws -> String {
        let httpRequest = try httpRequest(request, uuid)
        var attempt = 1
        while true {
            do {
                return try Self.variationID(in: try await transport.send(httpRequest))
            } catch {
                guard attempt < options.attempts, Self.isRetryable(error) else { throw Self.printable(error) }
            }
            attempt += 1
            try await options.clock.pause(for: options.pause)
        }
    }

    private func httpRequest(_ request: PredictionRequest, _ uuid: String) throws(PredictionError) -> HTTPRequest {
        let address: String
        do throws(AddressTemplate.Problem) {
            address = try template.address(of: request.ruleID)
        } catch { throw .misconfigured(error.description) }
        var httpRequest = HTTPRequest(
            .post, address, headers: ["Content-Type": "application/json"], body: Self.body(request, uuid),
            deadline: options.deadline)
        httpRequest.maximumResponseSize = Self.largestResponse
        return httpRequest
    }

    /// A response is a single id; real ones have about 50 bytes.
    private static let largestResponse = 1 << 16

    private static func body(_ request: PredictionRequest, _ uuid: String) -> [UInt8] {
        JSONWriter.object {
            $0.objects("instances", [request]) { writer, request in
                writer.member("visitorId", request.userID)
                writer.member("experimentId", request.ruleID)
                writer.list("attributes", request.attributes) { writer, attribute in
                    guard let value = JSONValue(attribute.value) else { return }
                    writer.object {
                        $0.member("id", attribute.id)
                        $0.member("value", value)
                        $0.member("type", "custom_attribute")
                    }
                }
                writer.member("cmabUUID", uuid)
            }
        }.bytes
    }

    private static func variationID(in response: HTTPResponse) throws(PredictionError) -> String {
        guard response.isSuccess else { throw .status(response.status) }
        // Not every transport enforces the request's limit.
        guard response.body.count <= largestResponse, let reply = try? JSONValue(parsing: response.body),
            case .array(let predictions)? = reply["predictions"]
        else { throw .invalidResponse }
        switch predictions.first?["variation_id"] {
        case .string(let id)? where !id.isEmpty: return id
        // The vendor's other clients accept integers too.
        case .integer(let id)?: return String(id)
        default: throw .invalidResponse
        }
    }

    /// Whether a retry may succeed.
    private static func isRetryable(_ error: any Error) -> Bool {
        switch error {
        case PredictionError.status(let status): HTTPResponse(status: status).isTemporaryFailure
        case is PredictionError, is CancellationError: false
        case let error as TransportError: error.code == .unreachable || error.code == .deadlineExceeded
        default: true
        }
    }

    /// An error with a known description: those of other transports may contain the request.
    private static func printable(_ error: any Error) -> any Error {
        error is CancellationError || error is any PrintableError ? error : PredictionError.unreachable
    }
}

/// The options of an ``HTTPPredictionSource``.
public struct HTTPPredictionOptions: Sendable {
    /// The address of predictions; `{ruleID}`, or the vendor's `%@`, is replaced by the experiment's id. Default: the
    /// vendor's, `https://prediction.cmab.optimizely.com/predict/{ruleID}`.
    public var address = "https://prediction.cmab.optimizely.com/predict/{ruleID}"
    /// The maximum number of attempts. Default: 2.
    public var attempts = 2
    /// The time between two attempts. Default: 0.1 seconds.
    public var pause = Duration.milliseconds(100)
    /// The time limit for one attempt. For the total time see ``PredictionOptions/deadline``. Default: 10 seconds.
    public var deadline = Duration.seconds(10)
    /// Measures the time between two attempts. Default: the system's clock.
    public var clock: any Clock<Duration> = .continuous

    /// Creates the standard options.
    public init() {}
}

extension PredictionSource where Self == HTTPPredictionSource {
    /// Creates a source for a server; the vendor's, unless the options specify another one.
    public static func http(
        transport: any Transport, options: HTTPPredictionOptions = HTTPPredictionOptions()
    ) -> HTTPPredictionSource {
        HTTPPredictionSource(transport: transport, options: options)
    }
}
