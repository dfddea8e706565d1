/// Answers a client's questions for predictions, from a cache where it may.
///
/// Users never wait for each other; those who ask the same at the same time share one answer.
package actor Predictor {
    private struct Answer {
        let attributesHash: String
        let prediction: Prediction
        /// The revision of the datafile that the question was about.
        let revision: String

        /// Whether the answer is good for a datafile: that of its question, or one that still has the variation. A
        /// service that names an unknown variation is not asked again and again.
        func isGood(for request: PredictionRequest, by project: Project) -> Bool {
            if revision == project.revision { return true }
            guard case .variation(let id, _) = prediction else { return false }
            let experiment = project.experiments.first { $0.id == request.ruleID }
            return experiment?.variations.contains { $0.id == id } ?? false
        }
    }

    private struct Pending {
        let attributesHash: String
        let number: Int
        let task: Task<Prediction, Never>
    }

    private let source: any PredictionSource
    private let random: any RandomSource
    private let log: any Log
    private let clock: any Clock<Duration>
    private let deadline: Duration
    private let uptime: @Sendable () -> Duration
    private var cache: LRUCache<String, Answer>
    private var pending: [String: Pending] = [:]
    private var asked = 0

    /// Creates a predictor with an empty cache.
    package init(
        source: any PredictionSource, options: PredictionOptions, random: any RandomSource, log: any Log,
        clock: any Clock<Duration>
    ) {
        self.source = source
        self.random = random
        self.log = log
        self.clock = clock
        deadline = options.deadline
        uptime = clock.stopwatch()
        cache = LRUCache(capacity: options.cachedAnswers, lifetime: options.lifetime)
    }

    /// The prediction for a request. Never throws: without a usable answer it is ``Prediction/failed``.
    ///
    /// Looking past the cache comes first; only then may the options empty it, in whole or for this request. An answer
    /// in the cache whose variation `project` no longer has is asked for anew.
    package func prediction(
        for request: PredictionRequest, by project: Project, options: DecideOptions
    ) async -> Prediction {
        guard !options.contains(.ignoreCmabCache) else { return await ask(request).value }
        let (key, hash) = (request.cacheKey, request.attributesHash)
        if options.contains(.resetCmabCache) { cache.removeAll() }
        if options.contains(.invalidateUserCmabCache) { cache.remove(key) }
        if let cached = cache.value(for: key, at: uptime()) {
            if cached.attributesHash == hash, cached.isGood(for: request, by: project) { return cached.prediction }
            cache.remove(key)
        }
        if let pending = pending[key], pending.attributesHash == hash { return await pending.task.value }
        let task = ask(request)
        let number = asked
        pending[key] = Pending(attributesHash: hash, number: number, task: task)
        let prediction = await task.value
        // Somebody may have asked again with other attributes in the meantime; theirs is newer.
        if pending[key]?.number == number {
            pending[key] = nil
            if prediction != .failed {
                let answer = Answer(attributesHash: hash, prediction: prediction, revision: project.revision)
                cache.save(answer, for: key, at: uptime())
            }
        }
        return prediction
    }

    private func ask(_ request: PredictionRequest) -> Task<Prediction, Never> {
        asked += 1
        let uuid = random.eventID().description
        return Task(executorPreference: DispatchExecutor.waitedFor) { [source, log, clock, deadline] in
            // Also for a source that never answers: those who ask the same next must not wait for it for ever.
            let prediction = await value(within: deadline, on: clock, executor: DispatchExecutor.waitedFor) {
                do {
                    return Prediction.variation(
                        id: try await source.variationID(for: request, uuid: uuid), uuid: uuid)
                } catch {
                    log.failure(.error, "prediction for experiment \(request.ruleID) failed", error)
                    return .failed
                }
            }
            if prediction == nil { log(.error, "prediction for experiment \(request.ruleID) took too long") }
            return prediction ?? .failed
        }
    }
}

/// How predictions are kept.
public struct PredictionOptions: Sendable {
    /// How many predictions are kept; 0: none. Default: 100.
    public var cachedAnswers = 100
    /// How long a prediction may take, attempts that the source makes by itself included. The vendor's client gives
    /// each of two attempts ten seconds, and waits a tenth between them. Default: 20.1 seconds.
    public var deadline = Duration.milliseconds(20_100)
    /// How long a prediction is good. Default: 30 minutes.
    public var lifetime = Duration.seconds(30 * 60)

    /// Creates the standard options; change what you need.
    public init() {}
}
