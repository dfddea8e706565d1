import TurnoutEngine

/// A bandit as `GET /predict/{ruleID}` describes it.
struct CopiedBandit: Decodable, Sendable, Equatable {
    struct Arm: Decodable, Sendable, Equatable {
        let variation: String
        let variationId: String
        let weight: Double
        let users: Int
        let mean: Double
        let variance: Double
    }

    let rule: String
    let environment: String?
    let ruleId: String
    let projectId: String
    let metric: String?
    let direction: String?
    let seed: Int64
    let variations: [Arm]
}

extension JSONWriter {
    /// Writes the members of a bandit.
    mutating func members(of bandit: CopiedBandit) {
        for (key, text) in [
            ("rule", bandit.rule), ("environment", bandit.environment), ("ruleId", bandit.ruleId),
            ("projectId", bandit.projectId), ("metric", bandit.metric), ("direction", bandit.direction),
        ] {
            member(key, text)
        }
        member("seed", bandit.seed)
        objects("variations", bandit.variations) { writer, arm in
            writer.member("variation", arm.variation)
            writer.member("variationId", arm.variationId)
            writer.member("weight", arm.weight)
            writer.member("users", arm.users)
            writer.member("mean", arm.mean)
            writer.member("variance", arm.variance)
        }
    }
}
