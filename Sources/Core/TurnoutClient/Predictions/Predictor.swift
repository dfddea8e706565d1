/// Provides a client's predictions, from a cache where possible.
///
/// Users do not wait for each other; identical concurrent requests share one prediction.
package actor Predictor {
    private struct CachedPrediction {
        let attributesHash: String
        let prediction: Prediction
        /// The content of the request's datafile.
        let contentHash: Int

        /// Whether the prediction is valid for a datafile: that of the request, or one that still has the variation.
        /// This avoids repeated requests to a service that returns an unknown variation.
        func isGood(for request: PredictionRequest, by project: Project) -> Bool {
            if contentHash == project.contentHash { return true }
            guard case .variation(let id, _) = prediction else { return false }
            let experiment = project.experiments.first { $0.id == request.ruleID }
            return experiment?.variations.contains { $0.id == id } ?? false
        }
    }

    /// Requests with the same key share one prediction.
    private struct RequestKey: Hashable {
        let cacheKey: ByteKey
        let attributesHash: String
    }

    private let source: any PredictionSource
    private let random: any RandomSource
    private let log: any Log
    private let clock: any Clock<Duration>
    private let deadline: Duration
    private let uptime: @Sendable () -> Duration
    private var cache: LRUCache<ByteKey, CachedPrediction>
    private let requests = SingleFlight<RequestKey, Prediction>()
    /// The attributes of the newest request in progress; only its prediction is cached.
    private var newest: [ByteKey: String] = [:]

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
        cache = LRUCache(capacity: options.cachedPredictions, lifetime: options.lifetime)
    }

    /// The prediction for a request, or ``Prediction/failed`` without a usable result.
    ///
    /// The option to ignore the cache takes precedence; only then do the options clear it, completely or for this
    /// request. A cached prediction with a variation that `project` no longer has is requested again.
    package func prediction(
        for request: PredictionRequest, by project: Project, options: DecideOptions
    ) async -> Prediction {
        guard !options.contains(.ignoreCmabCache) else {
            return await untilEnd { await self.ask(request, by: project) }
        }
        let (key, hash) = (ByteKey(request.cacheKey), request.attributesHash)
        if options.contains(.resetCmabCache) { cache.removeAll() }
        if options.contains(.invalidateUserCmabCache) { cache.remove(key) }
        if let cached = cache.value(for: key, at: uptime()) {
            if cached.attributesHash == hash, cached.isGood(for: request, by: project) { return cached.prediction }
            cache.remove(key)
        }
        newest[key] = hash
        let prediction = await untilEnd { [requests] in
            await requests.value(for: RequestKey(cacheKey: key, attributesHash: hash)) {
                let prediction = await self.ask(request, by: project)
                await self.save(prediction, for: key, hash, project.contentHash)
                return prediction
            }
        }
        // Also of a caller that joined after the result was cached.
        if newest[key] == hash { newest[key] = nil }
        return prediction
    }

    /// Waits for the end even if the caller is canceled: the prediction is for later callers too.
    private func untilEnd(_ body: @escaping @Sendable () async -> Prediction) async -> Prediction {
        await Task(executorPreference: DispatchExecutor.blockingCallers, operation: body).value
    }

    private func save(_ prediction: Prediction, for key: ByteKey, _ hash: String, _ contentHash: Int) {
        // A request with other attributes may have been made in the meantime; its result is newer.
        guard newest[key] == hash else { return }
        newest[key] = nil
        guard prediction != .failed else { return }
        let entry = CachedPrediction(attributesHash: hash, prediction: prediction, contentHash: contentHash)
        cache.save(entry, for: key, at: uptime())
    }

    private func ask(_ request: PredictionRequest, by project: Project) async -> Prediction {
        let uuid = random.eventID().description
        // The deadline also covers a source that never responds: identical requests must not wait for it forever.
        let prediction = await value(within: deadline, on: clock, executor: DispatchExecutor.blockingCallers) {
            [source, log] in
            do {
                let id = try await source.variationID(for: request, uuid: uuid)
                return Prediction.variation(id: Self.bounded(id, for: request, by: project), uuid: uuid)
            } catch {
                log.failure(.error, "no prediction for experiment \(request.ruleID); deciding without it", error)
                return .failed
            }
        }
        if prediction == nil {
            log(.error, "no prediction for experiment \(request.ruleID) within \(deadline); deciding without it")
        }
        return prediction ?? .failed
    }

    /// Ids up to this many bytes are used unchanged, known or not.
    private static let longestUnknownID = 128

    /// The id that a source returned, or a short placeholder for a long unknown one: ids are cached, and reasons
    /// repeat them.
    private static func bounded(_ id: String, for request: PredictionRequest, by project: Project) -> String {
        guard id.utf8.count > longestUnknownID else { return id }
        let variations = project.experiments.first { $0.id == request.ruleID }?.variations
        let isKnown = variations?.contains { $0.id.utf8.elementsEqual(id.utf8) } ?? false
        return isKnown ? id : "unknown (\(id.utf8.count) bytes)"
    }
}

/// How predictions are cached.
public struct PredictionOptions: Sendable {
    /// The maximum number of cached predictions; 0 for none. Default: 100.
    public var cachedPredictions = 100
    /// The time limit for a prediction, including the source's own retries. The vendor's client allows ten seconds for
    /// each of two attempts, with a tenth between them. Default: 20.1 seconds.
    public var deadline = Duration.milliseconds(20_100)
    /// How long a cached prediction is valid. Default: 30 minutes.
    public var lifetime = Duration.seconds(30 * 60)

    /// Creates the standard options.
    public init() {}
}
