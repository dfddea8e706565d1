import TurnoutClient
import TurnoutSockets

/// A connection to one server, for one thread at a time. After an error of the connection it must not be used again,
/// since an answer may still arrive.
final class MemcachedConnection: Sendable {
    enum Replacement {
        case stored, changedByOthers, missing
    }

    private let stream: Socket
    private let server: ProfileServerAddress
    private let answerTimeout: Duration

    init(_ stream: Socket, to server: ProfileServerAddress, answerTimeout: Duration) {
        self.stream = stream
        self.server = server
        self.answerTimeout = answerTimeout
    }

    /// Whether input arrived without a request, or the connection has ended.
    var hasUnexpectedInput: Bool { stream.hasUnexpectedInput }

    /// Keys in one request.
    private static let keysPerRequest = 100
    /// The number of pipelined requests, which hides the latency of a slow network.
    private static let requestsOnTheirWay = 40

    /// Begins to look up distinct keys.
    func lookUp(_ keys: [String]) -> (exchange: SocketExchange, answer: AnswerParser) {
        let starts = Array(stride(from: 0, to: keys.count, by: Self.keysPerRequest))
        let answer = AnswerParser(valuesOf: keys, partCount: starts.count)
        let exchange = SocketExchange(on: stream, answer, partCount: starts.count, window: Self.requestsOnTheirWay) {
            part in
            Request.lookUp(keys[starts[part]..<min(starts[part] + Self.keysPerRequest, keys.count)])
        }
        return (exchange, answer)
    }

    /// The value of a key, or nil.
    func value(of key: String, until deadline: ContinuousClock.Instant) throws(ProfileServerError) -> StoredValue? {
        let answer = AnswerParser(valuesOf: CollectionOfOne(key), partCount: 1)
        try complete(SocketExchange(on: stream, answer) { _ in Request.lookUp(CollectionOfOne(key)) }, answer, deadline)
        return answer.values[key]
    }

    /// Stores a value unless there is one. Returns whether it was stored.
    func add(
        _ key: String, _ text: [UInt8], expiring: Int, until deadline: ContinuousClock.Instant
    ) throws(ProfileServerError) -> Bool {
        switch try word(Request.add(key, text, expiring: expiring), deadline) {
        case .stored: return true
        // memcached answers the first; some proxies also use the second.
        case .notStored, .exists: return false
        default: throw misunderstood
        }
    }

    /// Replaces a value that was read before.
    func replace(
        _ key: String, _ old: StoredValue, with text: [UInt8], expiring: Int, until deadline: ContinuousClock.Instant
    ) throws(ProfileServerError) -> Replacement {
        let request = Request.replace(key, version: old.version, with: text, expiring: expiring)
        switch try word(request, deadline) {
        case .stored: return .stored
        case .exists: return .changedByOthers
        case .notFound: return .missing
        default: throw misunderstood
        }
    }

    /// Removes a value, if there is one.
    func remove(_ key: String, until deadline: ContinuousClock.Instant) throws(ProfileServerError) {
        switch try word(Request.remove(key), deadline) {
        case .deleted, .notFound: return
        default: throw misunderstood
        }
    }

    private func word(
        _ request: [UInt8], _ deadline: ContinuousClock.Instant
    ) throws(ProfileServerError) -> AnswerParser.Word {
        let answer = AnswerParser()
        try complete(SocketExchange(on: stream, answer) { _ in request }, answer, deadline)
        guard let word = answer.word else { throw misunderstood }
        return word
    }

    private func complete(
        _ exchange: SocketExchange, _ answer: AnswerParser, _ deadline: ContinuousClock.Instant
    ) throws(ProfileServerError) {
        SocketExchange.complete([exchange], silence: answerTimeout, until: deadline)
        if let error = failure(of: exchange, answer) { throw error }
    }

    /// Why an exchange failed; nil if it succeeded.
    func failure(of exchange: SocketExchange, _ answer: AnswerParser) -> ProfileServerError? {
        if let refusal = answer.refusal { return ProfileServerError(refusal, server: server) }
        return exchange.failure.map { ProfileServerError($0, server: server) }
    }

    private var misunderstood: ProfileServerError { ProfileServerError(AnswerParser.misunderstood, server: server) }
}
