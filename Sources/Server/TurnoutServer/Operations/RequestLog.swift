import TurnoutClient

/// Logs requests. An entry names the route and not the path, which may contain keys.
package struct RequestLog: Sendable {
    private let log: StructuredLog
    private let requests: LogOptions.Requests

    /// The time after which a request is a problem.
    private static let slow = Duration.seconds(1)

    /// Creates a log of requests.
    package init(_ log: StructuredLog, _ requests: LogOptions.Requests) {
        self.log = log
        self.requests = requests
    }

    func write(
        _ exchange: RequestPipeline.Exchange, _ head: RequestHead, _ route: Route?, _ status: Int, _ time: Duration
    ) {
        switch requests {
        case .none: return
        case .problems: guard status >= 500 || time > Self.slow else { return }
        case .all: break
        }
        var fields: [StructuredLog.Field] = [
            .init("method", .string(route?.method ?? "")), .init("route", .string(route?.pattern ?? "unknown")),
            .init("status", .integer(status)), .init("seconds", .number(time / .seconds(1))),
            .init("request_id", .string(exchange.id)),
        ]
        if let trace = exchange.trace { fields.append(.init("trace_id", .string(trace.traceID))) }
        if let key = head.clientKey { fields.append(.init("sdk_key", .string(key.sdkKey.keyLabel))) }
        log.write(.info, "request", fields)
    }
}
