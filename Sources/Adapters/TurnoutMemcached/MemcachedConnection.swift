import TurnoutClient
import TurnoutSockets

/// A connection to one server, for one thread at a time. After an error of the connection it must not be used again,
/// since a response may still arrive.
final class MemcachedConnection: Sendable {
    enum Replacement {
        case stored, changedByOthers, missing
    }

    private let stream: Socket
    private let server: ProfileServerAddress
    private let responseTimeout: Duration

    init(_ stream: Socket, to server: ProfileServerAddress, responseTimeout: Duration) {
        self.stream = stream
        self.server = server
        self.responseTimeout = responseTimeout
    }

    /// Whether input arrived without a request, or the connection has ended.
    var hasUnexpectedInput: Bool { stream.hasUnexpectedInput }

    /// Keys in one request.
    private static let keysPerRequest = 100
    /// The number of pipelined requests, which hides the latency of a slow network.
    private static let requestsOnTheirWay = 40

    /// Begins to look up distinct keys.
    func lookUp(_ keys: [String]) -> (exchange: SocketExchange, response: ResponseParser) {
        let starts = Array(stride(from: 0, to: keys.count, by: Self.keysPerRequest))
        let response = ResponseParser(valuesOf: keys, partCount: starts.count)
        let exchange = SocketExchange(on: stream, response, partCount: starts.count, window: Self.requestsOnTheirWay) {
            part in
            MemcachedRequest.lookUp(keys[starts[part]..<min(starts[part] + Self.keysPerRequest, keys.count)])
        }
        return (exchange, response)
    }

    /// The value of a key, or nil.
    func value(of key: String, until deadline: ContinuousClock.Instant) throws(ProfileServerError) -> StoredValue? {
        let response = ResponseParser(valuesOf: CollectionOfOne(key), partCount: 1)
        try complete(
            SocketExchange(on: stream, response) { _ in MemcachedRequest.lookUp(CollectionOfOne(key)) }, response,
            deadline)
        return response.values[key]
    }

    /// Stores a value unless there is one. Returns whether it was stored.
    func add(
        _ key: String, _ text: [UInt8], expiring: Int, until deadline: ContinuousClock.Instant
    ) throws(ProfileServerError) -> Bool {
        switch try word(MemcachedRequest.add(key, text, expiring: expiring), deadline) {
        case .stored: return true
        // memcached responds to the first; some proxies also use the second.
        case .notStored, .exists: return false
        default: throw invalidResponse
        }
    }

    /// Replaces a value that was read before.
    func replace(
        _ key: String, _ old: StoredValue, with text: [UInt8], expiring: Int, until deadline: ContinuousClock.Instant
    ) throws(ProfileServerError) -> Replacement {
        let request = MemcachedRequest.replace(key, version: old.version, with: text, expiring: expiring)
        switch try word(request, deadline) {
        case .stored: return .stored
        case .exists: return .changedByOthers
        case .notFound: return .missing
        default: throw invalidResponse
        }
    }

    /// Removes a value, if there is one.
    func remove(_ key: String, until deadline: ContinuousClock.Instant) throws(ProfileServerError) {
        switch try word(MemcachedRequest.remove(key), deadline) {
        case .deleted, .notFound: return
        default: throw invalidResponse
        }
    }

    private func word(
        _ request: [UInt8], _ deadline: ContinuousClock.Instant
    ) throws(ProfileServerError) -> ResponseParser.Word {
        let response = ResponseParser()
        try complete(SocketExchange(on: stream, response) { _ in request }, response, deadline)
        guard let word = response.word else { throw invalidResponse }
        return word
    }

    private func complete(
        _ exchange: SocketExchange, _ response: ResponseParser, _ deadline: ContinuousClock.Instant
    ) throws(ProfileServerError) {
        SocketExchange.complete([exchange], idleTimeout: responseTimeout, until: deadline)
        if let error = failure(of: exchange, response) { throw error }
    }

    /// Why an exchange failed; nil if it succeeded.
    func failure(of exchange: SocketExchange, _ response: ResponseParser) -> ProfileServerError? {
        if let refusal = response.refusal { return ProfileServerError(refusal, server: server) }
        return exchange.failure.map { ProfileServerError($0, server: server) }
    }

    private var invalidResponse: ProfileServerError {
        ProfileServerError(ResponseParser.invalidResponse, server: server)
    }
}

/// Requests in memcached's text protocol, which proxies support, unlike the newer meta commands.
///
/// ``ProfileKey`` ensures that keys are visible ASCII, so they cannot contain a line end.
package enum MemcachedRequest {
    /// Reads values and their versions.
    package static func lookUp(_ keys: some Collection<String>) -> [UInt8] {
        var bytes = [UInt8]("gets".utf8)
        bytes.reserveCapacity(6 + keys.reduce(0) { $0 + $1.utf8.count + 1 })
        for key in keys {
            bytes.append(UInt8(ascii: " "))
            bytes.append(contentsOf: key.utf8)
        }
        bytes.append(contentsOf: lineEnd)
        return bytes
    }

    /// Stores a value unless there is one.
    static func add(_ key: String, _ text: [UInt8], expiring: Int) -> [UInt8] {
        line("add \(key) 0 \(expiring) \(text.count)", text)
    }

    /// Replaces a certain version of a value.
    static func replace(_ key: String, version: UInt64, with text: [UInt8], expiring: Int) -> [UInt8] {
        line("cas \(key) 0 \(expiring) \(text.count) \(version)", text)
    }

    static func remove(_ key: String) -> [UInt8] { line("delete \(key)", nil) }

    private static let lineEnd: [UInt8] = [0x0D, 0x0A]

    private static func line(_ text: String, _ data: [UInt8]?) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count + (data?.count ?? 0) + 4)
        bytes.append(contentsOf: text.utf8)
        bytes.append(contentsOf: lineEnd)
        if let data {
            bytes.append(contentsOf: data)
            bytes.append(contentsOf: lineEnd)
        }
        return bytes
    }
}
