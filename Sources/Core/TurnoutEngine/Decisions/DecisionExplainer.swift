/// Explains a decision from its steps: as reasons, and as the stages of a trace.
struct DecisionExplainer {
    let project: Project
    let flag: Int
    let user: User

    /// The reasons for a step, in the reference's order.
    func reasons(for step: DecisionStep) -> [Reason] {
        let flagKey = project.text(project.tables.flags[flag].key)
        switch step {
        case .forcedFlag(let variation):
            return [.forcedDecision(variation: variationKey(variation), flag: flagKey, rule: nil, user: user.id)]
        case .invalidForcedFlag: return [.invalidForcedDecision(flag: flagKey, rule: nil, user: user.id)]
        case .forcedRule(let rule, let variation):
            return [
                .forcedDecision(
                    variation: variationKey(variation), flag: flagKey, rule: ruleKey(rule), user: user.id)
            ]
        case .invalidForcedRule(let rule):
            return [.invalidForcedDecision(flag: flagKey, rule: ruleKey(rule), user: user.id)]
        case .noExperiments: return [.noExperiments(flag: flagKey)]
        case .noRollout: return [.noRollout(flag: flagKey)]
        case .unknownRollout:
            return [
                .unknownRollout(
                    rollout: project.text(project.tables.flags[flag].rolloutID).trimmingBlanks, flag: flagKey)
            ]
        case .emptyRollout:
            return [.emptyRollout(rollout: project.text(project.tables.flags[flag].rolloutID).trimmingBlanks)]
        case .entered, .predictionFailed: return []
        case .audience(let rule, let truth): return audienceReasons(rule, truth)
        case .assigned(let rule, let variation): return assignmentReasons(rule, variation)
        default: return experimentReasons(for: step)
        }
    }

    private func experimentReasons(for step: DecisionStep) -> [Reason] {
        switch step {
        case .notRunning(let rule):
            return [
                project.tables.rules[Int(rule)].kind == .holdout
                    ? .holdoutNotRunning(holdout: ruleKey(rule)) : .experimentNotRunning(experiment: ruleKey(rule))
            ]
        case .forcedVariation(let rule, let variation):
            return [
                .forcedVariation(variation: variationKey(variation), experiment: ruleKey(rule), user: user.id)
            ]
        case .invalidForcedVariation(let rule):
            return [.invalidForcedVariation(experiment: ruleKey(rule), user: user.id)]
        case .whitelisted(_, let variation):
            return [.whitelisted(variation: variationKey(variation), user: user.id)]
        case .invalidWhitelist(_, let key): return [.invalidWhitelist(variation: project.text(key), user: user.id)]
        case .storedAssignment(let rule, let variation):
            return [.storedAssignment(variation: variationKey(variation), experiment: ruleKey(rule), user: user.id)]
        case .groupBucket(let rule, let bucket, let traffic):
            return groupReasons(rule, Int(bucket), traffic, bucketingID: user.bucketingID)
        case .bucket(let rule, _, let traffic): return bucketReasons(rule, traffic)
        case .outsidePredictionTraffic(let rule):
            return [.notInPredictionTraffic(experiment: ruleKey(rule), user: user.id)]
        case .predictionUnavailable: return [.predictionUnavailable]
        case .predicted(let rule, let id, let uuid):
            return [.predicted(variationID: id, uuid: uuid, experiment: ruleKey(rule))]
        default: return []
        }
    }

    // MARK: Audiences and assignments

    private func audienceReasons(_ rule: Int32, _ truth: Truth) -> [Reason] {
        var reasons: [Reason] = []
        if case .unknown(let row) = truth {
            reasons.append(.audienceUnknown(UnknownAudience(project: project, row: Int(row), user: user)))
        }
        let isIn = truth == .yes
        let key = ruleKey(rule)
        switch project.tables.rules[Int(rule)].kind {
        case .experiment:
            if !isIn { reasons.append(.notInExperimentAudience(experiment: key, user: user.id)) }
        case .rollout:
            let position = position(of: rule)
            reasons.append(
                isIn
                    ? .inRolloutAudience(position: position, user: user.id)
                    : .notInRolloutAudience(position: position, user: user.id))
        case .holdout:
            reasons.append(
                isIn
                    ? .inHoldoutAudience(holdout: key, user: user.id)
                    : .notInHoldoutAudience(holdout: key, user: user.id))
        }
        return reasons
    }

    private func assignmentReasons(_ rule: Int32, _ variation: Int32) -> [Reason] {
        let isIn = variation >= 0
        switch project.tables.rules[Int(rule)].kind {
        case .experiment:
            guard isIn else { return [.inNoVariation(user: user.id)] }
            return [.inExperiment(variation: variationKey(variation), experiment: ruleKey(rule), user: user.id)]
        case .holdout:
            guard isIn else { return [.notHeldOut(user: user.id)] }
            return [.heldOut(variation: variationKey(variation), holdout: ruleKey(rule), user: user.id)]
        case .rollout:
            let position = position(of: rule)
            guard !isIn else { return [.inRolloutTraffic(position: position, user: user.id)] }
            let isLast = position == Self.everyoneElse
            return isLast ? [] : [.notInRolloutTraffic(position: position, user: user.id)]
        }
    }

    // MARK: Buckets

    private func groupReasons(_ rule: Int32, _ bucket: Int, _ range: Int32, bucketingID: String) -> [Reason] {
        let group = project.tables.groups[Int(project.tables.rules[Int(rule)].group)]
        let groupID = project.text(group.id)
        var reasons = [Reason.groupBucket(bucket: bucket, bucketingID: bucketingID)]
        if group.traffic.isEmpty { reasons.append(.groupWithoutTraffic(group: groupID)) }
        guard range >= 0 else { return reasons + [.inNoGroupExperiment(group: groupID, bucketingID: bucketingID)] }
        let chosen = project.tables.traffic[Int(range)]
        guard chosen.entity >= 0 else {
            return reasons + [
                .unknownExperiment(id: project.text(chosen.entityID)),
                .inNoGroupExperiment(group: groupID, bucketingID: bucketingID),
            ]
        }
        let key = ruleKey(rule)
        let isChosen = project.isSameRule(chosen.entity, rule)
        return reasons + [
            isChosen
                ? .inGroupExperiment(experiment: key, group: groupID, bucketingID: bucketingID)
                : .inOtherGroupExperiment(experiment: key, group: groupID, bucketingID: bucketingID)
        ]
    }

    private func bucketReasons(_ rule: Int32, _ range: Int32) -> [Reason] {
        guard !project.tables.rules[Int(rule)].traffic.isEmpty else {
            return [.ruleWithoutTraffic(rule: ruleKey(rule))]
        }
        guard range >= 0, project.tables.traffic[Int(range)].entity < 0 else { return [] }
        return [.unknownVariation(id: project.text(project.tables.traffic[Int(range)].entityID))]
    }

    // MARK: Names

    static let everyoneElse = "Everyone Else"

    /// The name of a rollout rule in reasons: its position, counted from 1, or the name of the everyone-else rule.
    func position(of rule: Int32) -> String {
        let rules = project.tables.rollouts[Int(project.tables.flags[flag].rollout)].rules
        return Int(rule) == rules.last ? Self.everyoneElse : String(rule - rules.first + 1)
    }

    func ruleKey(_ rule: Int32) -> String { project.text(project.tables.rules[Int(rule)].key) }
    func variationKey(_ variation: Int32) -> String { project.text(project.tables.variations[Int(variation)].key) }
}
