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
            ) { .now(weights(ofRule: $0.parameters[0])) },
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
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("predictions")
        writer.beginArray()
        for instance in instances {
            guard case .string(let userID)? = instance["visitorId"] else {
                return .error(400, "an instance has no visitorId")
            }
            guard let id = service.variationID(ruleID: ruleID, userID: userID) else { return Self.unknown }
            writer.beginObject()
            writer.member("variation_id", id)
            writer.endObject()
        }
        writer.endArray()
        writer.endObject()
        return .json(200, writer.bytes)
    }

    private static let unknown = ServerResponse.error(404, "no served datafile has a bandit with this id")

    // MARK: Weights

    private func weights(ofRule ruleID: String) -> ServerResponse {
        guard let bandit = service.bandit(ruleID) else { return Self.unknown }
        var writer = JSONWriter()
        writer.beginObject()
        for (key, text) in [
            ("rule", bandit.ruleKey), ("ruleId", bandit.ruleID), ("projectId", bandit.projectID),
            ("metric", bandit.metric.map { "\($0.event).\($0.aggregation.rawValue)" }),
            ("direction", bandit.metric?.direction.rawValue), ("updated", service.updated.map(Timestamp.text)),
        ] {
            writer.member(key, text)
        }
        writer.key("variations")
        writer.beginArray()
        for arm in bandit.arms { Self.write(arm, to: &writer) }
        writer.endArray()
        writer.endObject()
        writer.newline()
        return .json(200, writer.bytes)
    }

    private static func write(_ arm: Bandit.Arm, to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("variation", arm.variationKey)
        writer.member("variationId", arm.variationID)
        writer.member("weight", Double(arm.weight) / Double(ThompsonSampling.rounds))
        writer.member("users", arm.statistics.users)
        writer.member("mean", arm.statistics.mean)
        writer.member("variance", arm.statistics.variance)
        writer.endObject()
    }
}
