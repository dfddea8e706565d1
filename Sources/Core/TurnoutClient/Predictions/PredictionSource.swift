/// Predicts which variation of a contextual bandit suits a user best.
public protocol PredictionSource: Sendable {
    /// Asks for a prediction.
    ///
    /// - Parameters:
    ///   - request: The user, the experiment, and the attributes that the experiment looks at.
    ///   - uuid: The name of the prediction in events.
    /// - Returns: The id of a variation.
    /// - Throws: Anything, if there is no usable answer. The decision then says so.
    func variationID(for request: PredictionRequest, uuid: String) async throws -> String
}

/// A source that answers as it was told to, and remembers what it was asked.
public final class MemoryPredictionSource: PredictionSource {
    /// Why there is no prediction.
    public struct NoPrediction: Error {}

    /// A question that was asked.
    public struct Question: Sendable, Equatable {
        /// The user, the experiment and the attributes.
        public let request: PredictionRequest
        /// The name of the prediction.
        public let uuid: String
    }

    private struct State {
        var variations: [String: String]
        var questions: [Question] = []
    }

    private let state: Locked<State>

    /// Creates a source: variation ids by experiment id. Everything else has no prediction.
    public init(_ variations: [String: String] = [:]) { state = Locked(State(variations: variations)) }

    /// Predicts a variation from now on; nil: there is no prediction.
    public func predict(_ variationID: String?, inExperiment experimentID: String) {
        state.withLock { $0.variations[experimentID] = variationID }
    }

    /// What was asked, oldest first.
    public var questions: [Question] { state.withLock { $0.questions } }

    /// The variation of the request's experiment.
    public func variationID(for request: PredictionRequest, uuid: String) async throws -> String {
        let answer = state.withLock { state in
            state.questions.append(Question(request: request, uuid: uuid))
            return state.variations[request.ruleID]
        }
        guard let answer else { throw NoPrediction() }
        return answer
    }
}

extension PredictionSource where Self == MemoryPredictionSource {
    /// Variation ids by experiment id.
    public static func memory(_ variations: [String: String]) -> MemoryPredictionSource {
        MemoryPredictionSource(variations)
    }
}
