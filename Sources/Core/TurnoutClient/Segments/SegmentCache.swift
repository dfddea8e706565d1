/// Which segments users belong to, as far as somebody asked.
///
/// Those who ask for the same user at the same time share one question, which ends when nobody waits for it any longer.
package final class SegmentCache<Failure: Error>: Sendable {
    /// Finds out which segments a user belongs to.
    package typealias Question = @Sendable () async throws(Failure) -> [String]

    private struct Request {
        let number: Int
        let task: Task<Result<[String], Failure>, Never>
        var waiting = 1
    }

    private struct State {
        var cache: LRUCache<String, [String]>
        /// The questions under way. Only the answers to these are kept: when everything is forgotten, they go, too.
        var requests: [String: Request] = [:]
        var requestCount = 0
    }

    private enum Step {
        case known([String])
        case wait(Request)
    }

    private let state: Locked<State>
    private let uptime: @Sendable () -> Duration

    /// Creates an empty cache.
    package init(options: SegmentOptions, uptime: @escaping @Sendable () -> Duration) {
        state = Locked(State(cache: LRUCache(capacity: options.cachedUsers, lifetime: options.lifetime)))
        self.uptime = uptime
    }

    /// Answers from the cache, or by asking; successful answers are kept, empty ones included.
    ///
    /// `asking` must look up by itself what the answer depends on: if that changes and ``reset()`` is called
    /// afterwards, no answer from before is kept.
    package func segments(
        of key: String, options: FetchSegmentsOptions, asking: @escaping Question
    ) async throws(Failure) -> [String] {
        if options.contains(.resetCache) { reset() }
        guard !options.contains(.ignoreCache) else { return try await asking() }
        switch lookUp(key, asking) {
        case .known(let segments): return segments
        case .wait(let request):
            return try await withTaskCancellationHandler {
                await request.task.value
            } onCancel: {
                leave(request.number, key)
            }.get()
        }
    }

    /// Forgets everything.
    package func reset() {
        state.withLock { state in
            state.cache.removeAll()
            // Who waits for one still gets its answer, but nobody joins them.
            state.requests = [:]
        }
    }

    // MARK: One question for all who ask the same

    private func lookUp(_ key: String, _ asking: @escaping Question) -> Step {
        let now = uptime()
        return state.withLock { state in
            if let known = state.cache.value(for: key, at: now) { return .known(known) }
            if let request = state.requests[key] {
                state.requests[key]?.waiting += 1
                return .wait(request)
            }
            state.requestCount += 1
            let number = state.requestCount
            // Not on shared threads: those who wait for the answer may block them all.
            let task = Task(executorPreference: DispatchExecutor.waitedFor) { await self.ask(number, key, asking) }
            let request = Request(number: number, task: task)
            state.requests[key] = request
            return .wait(request)
        }
    }

    private func ask(_ number: Int, _ key: String, _ asking: Question) async -> Result<[String], Failure> {
        let result: Result<[String], Failure>
        do throws(Failure) { result = .success(try await asking()) } catch { result = .failure(error) }
        let now = uptime()
        state.withLock { state in
            guard state.requests[key]?.number == number else { return }
            state.requests[key] = nil
            if case .success(let segments) = result { state.cache.save(segments, for: key, at: now) }
        }
        return result
    }

    private func leave(_ number: Int, _ key: String) {
        let abandoned = state.withLock { state -> Task<Result<[String], Failure>, Never>? in
            guard state.requests[key]?.number == number else { return nil }
            state.requests[key]?.waiting -= 1
            guard state.requests[key]?.waiting == 0 else { return nil }
            // Whoever asks from now on does not get the cancellation of others.
            return state.requests.removeValue(forKey: key)?.task
        }
        abandoned?.cancel()
    }
}

/// How segments are kept.
public struct SegmentOptions: Sendable {
    /// How many users' segments are kept; 0: none. Default: 100.
    public var cachedUsers = 100
    /// How long an answer is good; nil: for ever. Default: 10 minutes.
    public var lifetime: Duration? = .seconds(600)

    /// Creates the standard options; change what you need.
    public init() {}
}

/// How to fetch the segments of a user.
public struct FetchSegmentsOptions: OptionSet, Sendable {
    /// One bit for each option.
    public let rawValue: UInt8

    /// Creates options from their bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Ask without looking into the cache, and do not keep the answer.
    public static let ignoreCache = FetchSegmentsOptions(rawValue: 1 << 0)
    /// Forget the segments of all users first.
    public static let resetCache = FetchSegmentsOptions(rawValue: 1 << 1)
}
