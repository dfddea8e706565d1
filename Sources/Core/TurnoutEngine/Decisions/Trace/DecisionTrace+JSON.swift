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
        pair("flag", decision.flagKey)
        pair("user", trace.user.id)
        pair("stage", decision.stage.rawValue)
        pair("variation", decision.variationKey)
        pair("rule", decision.ruleKey)
        pair("enabled", decision.isEnabled)
        key("variables")
        variables(decision.variables)
        array("steps", trace.stages) { $0.stage($1) }
        array("reasons", decision.reasons) { $0.string($1.description) }
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
            beginObject()
            pair("experiment_id", assignment.experimentID)
            pair("variation_id", assignment.variationID)
            endObject()
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
            pair("step", "forcedDecision")
            pair("variation", variation)
        case .rule(let rule): self.rule(rule)
        case .noExperiments: pair("step", "noExperiments")
        case .noRollout: pair("step", "noRollout")
        case .unknownRollout(let id):
            pair("step", "unknownRollout")
            pair("rolloutId", id)
        case .emptyRollout(let id):
            pair("step", "emptyRollout")
            pair("rolloutId", id)
        }
        endObject()
    }

    private mutating func rule(_ rule: RuleTrace) {
        pair("step", "\(rule.kind)")
        pair("key", rule.key)
        pair("id", rule.id)
        pair("status", rule.status.rawValue)
        if rule.kind == .rollout { pair("everyoneElse", rule.isForEveryoneElse) }
        array("checks", rule.checks) { $0.check($1) }
    }

    private mutating func check(_ check: RuleTrace.Check) {
        beginObject()
        switch check {
        case .localHoldout(let holdout):
            pair("check", "localHoldout")
            object(at: "holdout") { $0.rule(holdout) }
        case .forcedDecision(let variation): named("forcedDecision", variation)
        case .notRunning: pair("check", "notRunning")
        case .forcedVariation(let variation): named("forcedVariation", variation)
        case .whitelist(let variation, let exists):
            named("whitelist", variation)
            pair("exists", exists)
        case .storedAssignment(let variation): named("storedAssignment", variation)
        case .audience(let audience):
            pair("check", "audience")
            key("condition")
            self.audience(audience)
        case .group(let bucket, let isAdmitted):
            self.bucket("group", bucket)
            pair("admitted", isAdmitted)
        case .bucket(let bucket): self.bucket("bucket", bucket)
        case .predictionGate(let bucket, let limit):
            pair("check", "predictionGate")
            pair("bucket", bucket)
            pair("limit", limit)
        case .predictionUnavailable: pair("check", "predictionUnavailable")
        case .predictionFailed: pair("check", "predictionFailed")
        case .predicted(let id, let uuid):
            pair("check", "predicted")
            pair("variationId", id)
            pair("uuid", uuid)
        case .needsPrediction: pair("check", "needsPrediction")
        }
        endObject()
    }

    private mutating func named(_ name: String, _ variation: String?) {
        pair("check", name)
        pair("variation", variation)
    }

    private mutating func bucket(_ name: String, _ bucket: BucketTrace) {
        pair("check", name)
        pair("bucketingId", bucket.bucketingID)
        pair("salt", bucket.salt)
        pair("bucket", bucket.bucket)
        key("range")
        guard let range = bucket.range else { return null() }
        beginObject()
        pair("from", range.buckets.lowerBound)
        pair("below", range.buckets.upperBound)
        pair("entityId", range.entityID)
        pair("entityKey", range.entityKey)
        endObject()
    }

    private mutating func audience(_ trace: AudienceTrace) {
        beginObject()
        switch trace.condition {
        case .everyone: pair("type", "everyone")
        case .all: pair("type", "and")
        case .any: pair("type", "or")
        case .not: pair("type", "not")
        case .audience(let id, let name):
            pair("type", "audience")
            pair("id", id)
            pair("name", name)
        case .attribute(let name, let match, let expected, let actual):
            pair("type", "attribute")
            pair("name", name)
            pair("match", match)
            key("expected")
            if let expected { raw(expected) } else { null() }
            pair("actual", actual)
        case .never(let reason):
            pair("type", "never")
            pair("reason", reason)
        }
        answer(trace.answer)
        if !trace.operands.isEmpty { array("operands", trace.operands) { $0.audience($1) } }
        endObject()
    }

    private mutating func answer(_ answer: AudienceTrace.Answer) {
        switch answer {
        case .yes: pair("answer", "yes")
        case .no: pair("answer", "no")
        case .skipped: pair("answer", "skipped")
        case .unknown(let cause):
            pair("answer", "unknown")
            pair("cause", cause.rawValue)
        }
    }
}
