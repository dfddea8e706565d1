import TurnoutClient
import TurnoutEngine

/// Answers `POST …/batch`: several requests in one, each with its own headers.
struct AgentBatch: Sendable {
    /// The maximum size of the responses in a batch together, in bytes. A response that would exceed it is replaced by
    /// 413, and no further operation begins: the others are answered with 413, too.
    static let responseLimit = 16 << 20

    private let configuration: AgentConfiguration
    private let services: AgentServices
    private let next: RequestPipeline

    /// Creates a batch whose operations `next` answers.
    init(_ configuration: AgentConfiguration, _ services: AgentServices, _ next: RequestPipeline) {
        self.configuration = configuration
        self.services = services
        self.next = next
    }

    /// The answer to a batch.
    func respond(to request: ServerRequest) -> Answer {
        guard let operations = Operation.list(in: request.body) else {
            return .now(.rawError(400, "cannot decode the operation body"))
        }
        guard operations.count <= configuration.batchLimit else {
            let limit = configuration.batchLimit
            return .now(.rawError(422, "too many operations, exceeding \(limit) operations"))
        }
        return .later {
            let start = now
            let results = await results(of: operations, in: request.head)
            return .go { write(results, since: start, to: &$0) }
        }
    }

    private var now: Int64 { services.wallClock.millisecondsSince1970() }

    /// The results, in the order in which the operations end.
    private func results(of operations: [Operation], in batch: RequestHead) async -> [OperationResult] {
        await withTaskGroup(of: OperationResult.self) { group in
            var (results, size, isFull) = ([OperationResult](), 0, false)
            func add(_ result: OperationResult) {
                guard size + result.response.size <= Self.responseLimit else {
                    isFull = true
                    return results.append(result.refused())
                }
                size += result.response.size
                results.append(result)
            }
            for (index, operation) in operations.enumerated() {
                if index >= max(1, configuration.batchConcurrency), let result = await group.next() { add(result) }
                if isFull {
                    let time = now
                    results.append(
                        OperationResult(operation: operation, response: .tooLarge, startedAt: time, endedAt: time))
                } else {
                    group.addTask { await self.result(of: operation, in: batch) }
                }
            }
            for await result in group { add(result) }
            return results
        }
    }

    private func result(of operation: Operation, in batch: RequestHead) async -> OperationResult {
        let start = now
        let request = operation.request(in: batch)
        // Its headers are those of a client, not of the proxy that names the users of pages.
        guard !request.head.path.hasPrefix("/console") else {
            return OperationResult(operation: operation, response: ServerResponse(404), startedAt: start, endedAt: now)
        }
        let limit = next.bodyLimit(for: request.head).size
        // A limit of 0 is that of an unknown path, which is answered without a look at the body.
        let isTooLarge = limit > 0 && request.body.count > limit
        let response = isTooLarge ? ServerResponse(413) : await next.respond(to: request).response
        return OperationResult(operation: operation, response: response, startedAt: start, endedAt: now)
    }

    private func write(_ results: [OperationResult], since start: Int64, to writer: inout JSONWriter) {
        writer.object {
            $0.member("startedAt", Timestamp.text(start))
            $0.member("endedAt", Timestamp.text(now))
            $0.member("errorCount", results.count { $0.response.status != 200 })
            $0.objects("response", results) { $1.write(to: &$0) }
        }
    }
}

/// A request in a batch.
private struct Operation: Sendable {
    var method = ""
    var url = ""
    var id = ""
    var body: [UInt8] = Array("null".utf8)
    var parameters: [(name: String, value: String)] = []
    var headers: [(name: String, value: String)] = []

    /// The operations in a body; nil if it is malformed.
    static func list(in body: [UInt8]) -> [Operation]? {
        guard !body.isEmpty else { return nil }
        var operations: [Operation] = []
        let isValid = AgentRequestBody.read(body, ["operations"]) { (reader, _) throws(JSONError) in
            try reader.elements { (reader) throws(JSONError) in
                var operation = Operation()
                try reader.members { (reader, key) throws(JSONError) in
                    if try !reader.skipNull() { try operation.read(key.lowercased(), &reader) }
                }
                operations.append(operation)
            }
        }
        return isValid ? operations : nil
    }

    private mutating func read(_ name: String, _ reader: inout JSONReader) throws(JSONError) {
        switch name {
        case "method": method = try reader.readString().string
        case "url": url = try reader.readString().string
        case "operationid": id = try reader.readString().string
        case "body":
            var members: [String: JSONValue] = [:]
            try reader.members { (reader, key) throws(JSONError) in members[key] = try reader.readValue() }
            var writer = JSONWriter.go()
            writer.goValue(.object(members))
            body = writer.bytes
        // The vendor's description of the interface says "parameters", its implementation "params".
        case "params", "parameters": parameters += try Self.pairs(&reader)
        case "headers": headers = try Self.pairs(&reader)
        default: try reader.skipValue()
        }
    }

    private static func pairs(_ reader: inout JSONReader) throws(JSONError) -> [(name: String, value: String)] {
        var pairs: [(name: String, value: String)] = []
        try reader.members { (reader, key) throws(JSONError) in
            pairs.append((key, try reader.skipNull() ? "" : try reader.readString().string))
        }
        return pairs
    }

    /// The headers that say where a batch comes from, which decides what its operations may do.
    private static let originHeaders = ["Forwarded", "Origin", "X-Forwarded-For"]

    /// The request. It inherits nothing from the batch but where it comes from.
    func request(in batch: RequestHead) -> ServerRequest {
        var path = url[...]
        if let scheme = path.range(ofText: "://") {
            path = path[scheme...].drop { $0 != "/" && $0 != "?" }
        }
        path = path.prefix { $0 != "#" }
        let parts = path.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        var query = QueryParameters(parsing: parts.count > 1 ? parts[1] : "")
        for (name, value) in parameters { query.append(name, value) }
        var fields = HeaderFields()
        for name in Self.originHeaders { if let value = batch.headers[name] { fields.append(name, value) } }
        for (name, value) in headers { fields.append(name, value) }
        let target = parts.first.map { $0.hasPrefix("/") ? String($0) : "/" + $0 } ?? "/"
        let head = RequestHead(
            method.isEmpty ? "GET" : method.uppercased(), target, query: query, headers: fields,
            remoteAddress: batch.remoteAddress)
        return ServerRequest(head, body: body)
    }
}

/// The result of a request in a batch.
private struct OperationResult: Sendable {
    let operation: Operation
    let response: ServerResponse
    let startedAt: Int64
    let endedAt: Int64

    /// The result without its response, for which there is no room.
    func refused() -> OperationResult {
        if case .stream(let stream) = response.body { stream.close() }
        return OperationResult(operation: operation, response: .tooLarge, startedAt: startedAt, endedAt: endedAt)
    }

    func write(to writer: inout JSONWriter) {
        writer.member("status", response.status)
        writer.member("requestID", response.headers["X-Request-Id"] ?? "")
        writer.member("operationID", operation.id)
        writer.member("method", operation.method)
        writer.member("url", operation.url)
        writer.member("body") { $0.raw(json ?? "null") }
        writer.member("startedAt", Timestamp.text(startedAt))
        writer.member("endedAt", Timestamp.text(endedAt))
    }

    /// The content of the response, if it is JSON. A stream ends here.
    private var json: String? {
        let bytes: [UInt8]
        switch response.body {
        case .bytes(let content): bytes = content
        case .shared(let body): bytes = body.bytes
        case .stream(let stream):
            stream.close()
            return nil
        case .closed: return nil
        }
        guard response.headers["Content-Type"]?.hasPrefix("application/json") == true, !bytes.isEmpty else {
            return nil
        }
        return String(decoding: bytes.last == UInt8(ascii: "\n") ? bytes.dropLast() : bytes[...], as: UTF8.self)
    }
}

extension Substring {
    /// The place after a text; nil if it does not occur.
    fileprivate func range(ofText text: String) -> Index? {
        var rest = self
        while !rest.isEmpty {
            if rest.hasPrefix(text) { return rest.index(rest.startIndex, offsetBy: text.count) }
            rest = rest.dropFirst()
        }
        return nil
    }
}

extension ServerResponse {
    /// The response to an operation of a batch whose responses are too large.
    fileprivate static let tooLarge = ServerResponse.error(
        413, "the responses of a batch have at most \(AgentBatch.responseLimit) bytes")

    /// The number of bytes in the body; 0 for a stream, which a batch leaves out.
    fileprivate var size: Int {
        switch body {
        case .bytes(let bytes): bytes.count
        case .shared(let body): body.bytes.count
        case .stream, .closed: 0
        }
    }

    /// An error as text that is JSON, as the vendor's Agent writes it.
    fileprivate static func rawError(_ status: Int, _ message: String) -> ServerResponse {
        .text(status, "{\"error\": \"\(message)\"}\n")
    }
}
