import TurnoutEngine
import TurnoutFlags

/// The routes of predictions, as the vendor's service has them, and one that shows how they are made.
package struct PredictionRoutes: Sendable {
    private let service: PredictionService
    /// Requests of clients have one instance.
    private static let maximumInstances = 100

    package init(_ service: PredictionService) { self.service = service }

    package var routes: [Route] {
        [
            Route("POST", "/predict/{ruleID}", "predicts the variation of a bandit for users", bodyLimit: .evaluation) {
                .now(predictions($0))
            },
            Route(
                "GET", "/predict/{ruleID}", "the weights of a bandit, and what they are based on",
                access: .management(.read)
            ) { .now(weights($0)) },
        ]
    }

    // MARK: Predictions

    private func predictions(_ request: ServerRequest) -> ServerResponse {
        let ruleID = request.parameters[0]
        guard let body = try? JSONValue(parsing: request.body), case .array(let instances)? = body["instances"],
            1...Self.maximumInstances ~= instances.count
        else {
            return .error(
                400, "the body is not {\"instances\": […]} with 1 to \(Self.maximumInstances) instances")
        }
        var ids: [String] = []
        for instance in instances {
            guard case .string(let userID)? = instance["visitorId"] else {
                return .error(400, "an instance has no visitorId")
            }
            guard let id = service.variationID(ruleID: ruleID, userID: userID) else { return Self.unknown }
            ids.append(id)
        }
        return .json(200, JSONWriter.object { $0.objects("predictions", ids) { $0.member("variation_id", $1) } }.bytes)
    }

    private static let unknown = ServerResponse.error(404, "no served datafile has such a bandit")

    // MARK: Weights

    /// People name a bandit by its key, which it has in several environments.
    private func weights(_ request: ServerRequest) -> ServerResponse {
        let bandits = service.bandits(named: request.parameters[0], in: request.head.query["environment"])
        guard let bandit = bandits.first else { return Self.unknown }
        guard bandits.count == 1 else {
            let choices = bandits.map { bandit in bandit.environment.map { "?environment=\($0)" } ?? bandit.ruleID }
            return .error(
                400, "several bandits are named \(bandit.ruleKey): add one of \(choices.joined(separator: ", "))")
        }
        return .json { writer in
            writer.members(of: bandit.copied)
            writer.member("updated", service.updated.map(Timestamp.text))
        }
    }
}
