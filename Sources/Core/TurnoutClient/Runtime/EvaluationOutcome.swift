/// The result of one evaluation by the engine: a decision, several, or none. The runtime applies its effects.
protocol EvaluationOutcome {
    /// The assignments to commit: variation ids by experiment id.
    var assignments: [String: String] { get }
    /// The predictions without which the result is not final; empty if it is.
    func predictionRequests(for user: User) -> [PredictionRequest]
}

extension DecisionBatch: EvaluationOutcome {}

extension Decision: EvaluationOutcome {
    var assignments: [String: String] {
        guard let assignment else { return [:] }
        return [assignment.experimentID: assignment.variationID]
    }

    func predictionRequests(for user: User) -> [PredictionRequest] { predictionRequest(for: user).map { [$0] } ?? [] }
}

extension Decision?: EvaluationOutcome {
    var assignments: [String: String] { self?.assignments ?? [:] }

    func predictionRequests(for user: User) -> [PredictionRequest] { self?.predictionRequests(for: user) ?? [] }
}
