package import TurnoutClient

/// Sends requests to a hub, and keeps the last answers about users' segments, which are used while the hub is gone.
///
/// After a failure, known answers are used for a second without asking: a hub that hangs delays one request a second.
package final class HubTransport: Transport {
    private struct State {
        var answers = LRUCache<[UInt8], HTTPResponse>(capacity: 10_000, lifetime: nil)
        var failed: Duration?
        var used = 0
    }

    private let base: any Transport
    private let uptime: @Sendable () -> Duration
    private let state = Locked(State())

    package init(_ base: any Transport, clock: any Clock<Duration> = .continuous) {
        self.base = base
        uptime = clock.stopwatch()
    }

    /// How often a last answer was used in place of the hub's.
    var usedAnswers: Int { state.withLock { $0.used } }

    /// Forgets the answers, which contain segments of users.
    func forgetAnswers() { state.withLock { $0.answers.removeAll() } }

    package func send(_ request: HTTPRequest) async throws -> HTTPResponse {
        guard request.url.hasSuffix(HubRelay.queryPath) else { return try await base.send(request) }
        let key = Array((request.headers["x-api-key"] ?? "").utf8) + [0] + request.body
        if let known = answer(for: key, failedWithin: .seconds(1)) { return known }
        do {
            let response = try await base.send(request)
            let now = uptime()
            if response.status < 500 {
                state.withLock { state in
                    state.failed = nil
                    // A page to sign in, for example, is not the hub's answer.
                    if response.isSuccess, response.body.first == UInt8(ascii: "{") {
                        state.answers.save(response, for: key, at: now)
                    }
                }
                return response
            }
            return fail(key) ?? response
        } catch let error as TransportError {
            guard let known = fail(key) else { throw error }
            return known
        }
    }

    private func fail(_ key: [UInt8]) -> HTTPResponse? {
        state.withLock { $0.failed = uptime() }
        return answer(for: key, failedWithin: .seconds(1))
    }

    /// The last answer, if the hub has failed lately.
    private func answer(for key: [UInt8], failedWithin limit: Duration) -> HTTPResponse? {
        let now = uptime()
        return state.withLock { state in
            guard let failed = state.failed, now - failed < limit, let known = state.answers.value(for: key, at: now)
            else { return nil }
            state.used += 1
            return known
        }
    }
}
