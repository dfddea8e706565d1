/// Predicts the best variation of a contextual bandit for a user.
///
/// Asynchronous decisions call a source from a task, for several users and experiments at a time. Identical concurrent
/// requests share one call, and results are cached as ``PredictionOptions`` say, unless a decision ignores the cache.
/// A call that exceeds ``PredictionOptions/deadline`` counts as failed. It is not canceled, so a source ends its own
/// requests. Failures are logged and not cached. A source must not block the thread of its task.
///
/// ```swift
/// struct ModelSource: PredictionSource {
///     let model: Model
///
///     func variationID(for request: PredictionRequest, uuid: String) async throws -> String {
///         try await model.bestVariation(ofExperiment: request.ruleID, forUser: request.userID)
///     }
/// }
/// ```
///
/// ``MemoryPredictionSource`` is a source for tests. `checkPredictionSource` of `TurnoutTestKit` checks what a source
/// has to guarantee.
public protocol PredictionSource: Sendable {
    /// Requests a prediction.
    ///
    /// - Parameters:
    ///   - request: The user, the experiment, and the attributes that the experiment uses.
    ///   - uuid: The id of the prediction in events.
    /// - Returns: The id of a variation.
    /// - Throws: Any error, if there is no usable prediction. The decision's reasons then report it.
    func variationID(for request: PredictionRequest, uuid: String) async throws -> String
}

/// A source with fixed predictions, which records its requests.
public final class MemoryPredictionSource: PredictionSource {
    /// There is no prediction for the experiment.
    public struct NoPrediction: Error {}

    /// A recorded request.
    public struct Call: Sendable, Equatable {
        /// The user, the experiment and the attributes.
        public let request: PredictionRequest
        /// The id of the prediction.
        public let uuid: String
    }

    private struct State {
        var variations: [String: String]
        var calls: [Call] = []
    }

    private let state: Locked<State>

    /// Creates a source with variation ids by experiment id. Other experiments have no prediction.
    public init(_ variations: [String: String] = [:]) { state = Locked(State(variations: variations)) }

    /// Sets the predicted variation; nil for no prediction.
    public func predict(_ variationID: String?, inExperiment experimentID: String) {
        state.withLock { $0.variations[experimentID] = variationID }
    }

    /// The recorded requests, oldest first.
    public var calls: [Call] { state.withLock { $0.calls } }

    /// Returns the variation of the request's experiment.
    public func variationID(for request: PredictionRequest, uuid: String) async throws -> String {
        let variationID = state.withLock { state in
            state.calls.append(Call(request: request, uuid: uuid))
            return state.variations[request.ruleID]
        }
        guard let variationID else { throw NoPrediction() }
        return variationID
    }
}

extension PredictionSource where Self == MemoryPredictionSource {
    /// Creates a source with variation ids by experiment id.
    public static func memory(_ variations: [String: String]) -> MemoryPredictionSource {
        MemoryPredictionSource(variations)
    }
}

/// Why a service gave no prediction. Descriptions contain no personal data.
public enum PredictionError: Error, Sendable, Equatable, CustomStringConvertible {
    /// There is no usable address; with a description.
    case misconfigured(String)
    /// The service responded with an error status.
    case status(Int)
    /// The service's response contains no variation.
    case invalidResponse
    /// There was no response, for a reason that the transport does not describe.
    case unreachable

    /// A description of the error.
    public var description: String {
        switch self {
        case .misconfigured(let problem): "the address of the prediction service cannot be used: \(problem)"
        case .status(let status): "the prediction service responded with HTTP status \(status)"
        case .invalidResponse: "the response of the prediction service names no variation"
        case .unreachable: "the prediction service could not be reached"
        }
    }
}

extension PredictionError: PrintableError {}
