import TurnoutClient
import TurnoutEngine

extension Agent {
    /// `POST /v1/activate`: decides experiments and flags, and returns a list.
    func activate(_ call: AgentCall) -> Answer {
        guard let body = AgentUserBody(call.request.body) else { return .now(.unreadable) }
        guard !body.userID.isEmpty else { return .now(.missingUser) }
        let query = call.request.head.query
        let subjects: [ActivationSubject]
        switch Self.subjects(in: query, of: call.client.served.project) {
        case .success(let found): subjects = found
        case .failure(let refusal): return .now(refusal.response)
        }
        let isTracked = query["disableTracking"] != "true"
        let filter = ["true": true, "false": false][query["enabled"] ?? ""]
        return .later {
            var rows: [ActivationRow] = []
            for subject in subjects {
                let row = await self.activate(subject, for: body.user, isTracked: isTracked, by: call.client)
                if filter == nil || filter == row.isEnabled { rows.append(row) }
            }
            return .go { writer in
                writer.beginArray()
                for row in rows { writer.activation(row, of: body.userID) }
                writer.endArray()
            }
        }
    }

    /// Returns the subjects of a query. A key is decided once: as a flag, if an experiment has the same one.
    private static func subjects(
        in query: QueryParameters, of project: Project
    ) -> Result<[ActivationSubject], AgentRefusal> {
        var order: [String] = []
        var kinds: [String: ActivationSubject.Kind] = [:]
        func add(_ key: String, _ kind: ActivationSubject.Kind) {
            if kinds.updateValue(kind, forKey: key) == nil { order.append(key) }
        }
        for type in query.values("type") {
            switch type {
            case "experiment": for experiment in project.experiments { add(experiment.key, .experiment) }
            case "feature": for flag in project.flags { add(flag.key, .flag) }
            default: return .failure(AgentRefusal(400, "type \(type.debugDescription) not supported"))
            }
        }
        for key in query.values("experimentKey") {
            add(key, project.experiment(key) == nil ? .unknownExperiment : .experiment)
        }
        for key in query.values("featureKey") { add(key, project.flag(key) == nil ? .unknownFlag : .flag) }
        return .success(order.compactMap { key in kinds[key].map { ActivationSubject(key: key, kind: $0) } })
    }

    private func activate(
        _ subject: ActivationSubject, for user: User, isTracked: Bool, by client: DecisionClient
    ) async -> ActivationRow {
        switch subject.kind {
        case .flag:
            let decision = await client.activate(flag: subject.key, for: user, isTracked: isTracked)
            var row = ActivationRow(flag: subject.key, type: "feature", isEnabled: decision.isEnabled)
            // The rules of a rollout are an implementation detail to callers of this route.
            if decision.source != .rollout {
                row.experiment = decision.ruleKey ?? ""
                row.variation = decision.variationKey ?? ""
            }
            row.variables = decision.variables
            return row
        case .experiment:
            let decision = await client.activate(experiment: subject.key, for: user, isTracked: isTracked)
            let variation = decision?.variationKey ?? ""
            return ActivationRow(
                experiment: subject.key, variation: variation, type: "experiment", isEnabled: !variation.isEmpty)
        case .unknownExperiment: return ActivationRow(experiment: subject.key, error: "experimentKey not found")
        case .unknownFlag: return ActivationRow(flag: subject.key, error: "featureKey not found")
        }
    }
}

/// A key to decide, and what it stands for.
private struct ActivationSubject {
    enum Kind { case experiment, flag, unknownExperiment, unknownFlag }

    let key: String
    let kind: Kind
}

/// A row of the response.
private struct ActivationRow: Sendable {
    var experiment = ""
    var flag = ""
    var variation = ""
    var type = ""
    var variables: Variables?
    var isEnabled = false
    var error: String?
}

extension JSONWriter {
    fileprivate mutating func activation(_ row: ActivationRow, of userID: String) {
        object {
            $0.member("userId", userID)
            $0.member("experimentKey", row.experiment)
            $0.member("featureKey", row.flag)
            $0.member("variationKey", row.variation)
            $0.member("type", row.type)
            if let variables = row.variables, !variables.isEmpty { $0.member("variables") { $0.goValue(variables) } }
            $0.member("enabled", row.isEnabled)
            if let error = row.error { $0.member("error", error) }
        }
    }
}
