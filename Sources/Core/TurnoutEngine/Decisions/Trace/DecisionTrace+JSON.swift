extension DecisionTrace {
    /// The trace as a JSON document, an object with these members:
    ///
    /// - `flag`, `user`: the key of the flag and the id of the user;
    /// - `stage`, `variation`, `rule`, `enabled`, `variables`: the decision; the keys are null if there is none;
    /// - `steps`: the stages of the evaluation in their order, with their rules, audiences and buckets;
    /// - `reasons`: the texts of ``Decision/reasons``;
    /// - `effects`: the impression to send and the assignment to store, or null for each.
    public var json: String {
        var writer = JSONWriter()
        writer.trace(self)
        return writer.text
    }
}

extension JSONWriter {
    /// Writes a trace as an object; see ``DecisionTrace/json``.
    public mutating func trace(_ trace: DecisionTrace) {
        let decision = trace.decision
        beginObject()
        member("flag", decision.flagKey)
        member("user", trace.user.id)
        member("stage", decision.stage.rawValue)
        member("variation", decision.variationKey)
        member("rule", decision.ruleKey)
        member("enabled", decision.isEnabled)
        key("variables")
        variables(decision.variables)
        list("steps", trace.stages) { $0.stage($1) }
        list("reasons", decision.reasons) { $0.string($1.description) }
        key("effects")
        effects(of: decision)
        endObject()
    }

    /// Writes the variables of a decision as an object.
    public mutating func variables(_ variables: Variables) {
        beginObject()
        for (name, variable) in variables.all {
            key(name)
            value(variable.jsonValue ?? .null)
        }
        endObject()
    }

    /// Writes the effects of a decision: the event to send and the assignment to store, or null.
    public mutating func effects(of decision: Decision) {
        beginObject()
        key("impression")
        if let impression = decision.impression { self.impression(impression) } else { null() }
        key("assignment")
        if let assignment = decision.assignment {
            object { writer in
                writer.member("experiment_id", assignment.experimentID)
                writer.member("variation_id", assignment.variationID)
            }
        } else {
            null()
        }
        endObject()
    }

    // MARK: Pieces

    private mutating func stage(_ stage: DecisionTrace.Stage) {
        beginObject()
        switch stage {
        case .forcedDecision(let variation):
            member("step", "forcedDecision")
            member("variation", variation)
        case .rule(let rule): self.rule(rule)
        case .noExperiments: member("step", "noExperiments")
        case .noRollout: member("step", "noRollout")
        case .unknownRollout(let id):
            member("step", "unknownRollout")
            member("rolloutId", id)
        case .emptyRollout(let id):
            member("step", "emptyRollout")
            member("rolloutId", id)
        }
        endObject()
    }

    private mutating func rule(_ rule: RuleTrace) {
        member("step", "\(rule.kind)")
        member("key", rule.key)
        member("id", rule.id)
        member("status", rule.status.rawValue)
        if rule.kind == .rollout { member("everyoneElse", rule.isForEveryoneElse) }
        list("checks", rule.checks) { $0.check($1) }
    }

    private mutating func check(_ check: RuleTrace.Check) {
        beginObject()
        switch check {
        case .localHoldout(let holdout):
            member("check", "localHoldout")
            object("holdout") { $0.rule(holdout) }
        case .forcedDecision(let variation): named("forcedDecision", variation)
        case .notRunning: member("check", "notRunning")
        case .forcedVariation(let variation): named("forcedVariation", variation)
        case .whitelist(let variation, let exists):
            named("whitelist", variation)
            member("exists", exists)
        case .storedAssignment(let variation): named("storedAssignment", variation)
        case .audience(let audience):
            member("check", "audience")
            key("condition")
            self.audience(audience)
        case .group(let bucket, let isAdmitted):
            self.bucket("group", bucket)
            member("admitted", isAdmitted)
        case .bucket(let bucket): self.bucket("bucket", bucket)
        case .predictionGate(let bucket, let limit):
            member("check", "predictionGate")
            member("bucket", bucket)
            member("limit", limit)
        case .predictionUnavailable: member("check", "predictionUnavailable")
        case .predictionFailed: member("check", "predictionFailed")
        case .predicted(let id, let uuid):
            member("check", "predicted")
            member("variationId", id)
            member("uuid", uuid)
        case .needsPrediction: member("check", "needsPrediction")
        }
        endObject()
    }

    private mutating func named(_ name: String, _ variation: String?) {
        member("check", name)
        member("variation", variation)
    }

    private mutating func bucket(_ name: String, _ bucket: BucketTrace) {
        member("check", name)
        member("bucketingId", bucket.bucketingID)
        member("salt", bucket.salt)
        member("bucket", bucket.bucket)
        key("range")
        guard let range = bucket.range else { return null() }
        object { writer in
            writer.member("from", range.buckets.lowerBound)
            writer.member("below", range.buckets.upperBound)
            writer.member("entityId", range.entityID)
            writer.member("entityKey", range.entityKey)
        }
    }

    private mutating func audience(_ trace: AudienceTrace) {
        beginObject()
        switch trace.condition {
        case .everyone: member("type", "everyone")
        case .all: member("type", "and")
        case .any: member("type", "or")
        case .not: member("type", "not")
        case .audience(let id, let name):
            member("type", "audience")
            member("id", id)
            member("name", name)
        case .attribute(let name, let match, let expected, let actual):
            member("type", "attribute")
            member("name", name)
            member("match", match)
            key("expected")
            if let expected { raw(expected) } else { null() }
            member("actual", actual)
        case .never(let reason):
            member("type", "never")
            member("reason", reason)
        }
        answer(trace.answer)
        if !trace.operands.isEmpty { list("operands", trace.operands) { $0.audience($1) } }
        endObject()
    }

    private mutating func answer(_ answer: AudienceTrace.Answer) {
        switch answer {
        case .yes: member("answer", "yes")
        case .no: member("answer", "no")
        case .skipped: member("answer", "skipped")
        case .unknown(let cause):
            member("answer", "unknown")
            member("cause", cause.rawValue)
        }
    }
}
