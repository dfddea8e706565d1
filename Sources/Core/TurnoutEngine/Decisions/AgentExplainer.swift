/// Explains a decision in the words of the vendor's Go client, which its Agent passes on.
///
/// The texts are made from steps and not from reasons: the Go client also reports audiences that the user is in.
struct AgentExplainer {
    private let project: Project
    private let user: User
    private let explainer: DecisionExplainer

    init(project: Project, flag: Int, user: User) {
        self.project = project
        self.user = user
        explainer = DecisionExplainer(project: project, flag: flag, user: user)
    }

    /// The texts for steps, in their order.
    func texts(for steps: [DecisionStep]) -> [String] {
        var texts: [String] = []
        var rule: Int32 = -1
        for step in steps {
            if case .entered(let entered) = step, kind(of: entered) != .holdout { rule = entered }
            texts += self.texts(for: step, within: rule)
        }
        return texts
    }

    /// The texts for one step. `rule` is the experiment or rollout rule that is being evaluated.
    private func texts(for step: DecisionStep, within rule: Int32) -> [String] {
        switch step {
        case .audience(let rule, let truth): return audienceTexts(rule, isIn: truth == .yes)
        case .assigned(let assigned, let variation): return assignmentTexts(assigned, variation, within: rule)
        case .notRunning(let rule) where kind(of: rule) == .holdout:
            return [(isLocalHoldout(rule) ? "Local holdout " : "Holdout ") + key(rule) + " is not running."]
        case .forcedVariation(_, let variation):
            return ["Override variation \(variationKey(variation)) found for user \(user.id)"]
        case .whitelisted(let rule, let variation):
            let variation = variationKey(variation)
            return [
                "User \"\(user.id)\" is whitelisted into variation \"\(variation)\" of experiment \"\(key(rule))\"."
            ]
        case .invalidWhitelist(_, let variation):
            let variation = project.text(variation)
            return ["User \"\(user.id)\" is whitelisted into variation \"\(variation)\", which is not in the datafile."]
        case .storedAssignment(let rule, let variation):
            return [
                "User \"\(user.id)\" was previously bucketed into variation \"\(variationKey(variation))\" "
                    + "of experiment \"\(key(rule))\"."
            ]
        case .outsidePredictionTraffic(let rule):
            return ["User \(user.id) not in CMAB experiment \(key(rule)) due to traffic allocation"]
        case .predictionUnavailable: return ["CMAB service is not available"]
        case .predicted(let rule, let id, _): return [predictionText(rule, id)]
        case .noRollout, .unknownRollout: return ["Rollout with ID \"\" is not in the datafile."]
        case .forcedFlag, .invalidForcedFlag, .forcedRule, .invalidForcedRule, .notRunning:
            // The same words as in the other clients.
            return explainer.reasons(for: step).map(\.description)
        case .entered, .invalidForcedVariation, .groupBucket, .bucket, .predictionGate, .predictionFailed,
            .noExperiments, .emptyRollout:
            return []
        }
    }

    private func predictionText(_ rule: Int32, _ id: String) -> String {
        let variations = Rule(project: project, index: Int(rule)).variations
        guard let variation = variations.first(where: { $0.id == id }) else {
            return "variation with ID \(id) not found in experiment \(project.text(row(rule).id))"
        }
        return "User bucketed into variation \(variation.key) by CMAB service"
    }

    // MARK: Audiences

    private func audienceTexts(_ rule: Int32, isIn: Bool) -> [String] {
        let unknown = unknownAudienceTexts(rule)
        let name = key(rule)
        switch kind(of: rule) {
        case .experiment:
            let result = "Audiences for experiment \(name) collectively evaluated to \(isIn)."
            if isIn { return unknown + [result] }
            let refusal =
                row(rule).isCMAB
                ? "User \(user.id) not in audience for CMAB experiment \(name)"
                : "User \"\(user.id)\" does not meet conditions to be in experiment \"\(name)\"."
            return unknown + [result, refusal]
        case .rollout:
            // The Go client evaluates the audience of a rule a second time when it buckets the user.
            if isIn { return unknown + unknown + ["Audiences for experiment \(name) collectively evaluated to true."] }
            let position = explainer.position(of: rule)
            guard position != DecisionExplainer.everyoneElse else { return unknown }
            return unknown + ["User \"\(user.id)\" does not meet conditions for targeting rule \(position)."]
        case .holdout:
            let verb = isIn ? "meets" : "does not meet"
            let holdout = (isLocalHoldout(rule) ? "local holdout " : "holdout ") + name
            return unknown + [
                "Audiences for holdout \(name) collectively evaluated to \(isIn).",
                "User \(user.id) \(verb) conditions for \(holdout).",
            ]
        }
    }

    /// A text for each audience and condition of a rule that could not be evaluated.
    private func unknownAudienceTexts(_ rule: Int32) -> [String] {
        guard row(rule).condition >= 0 else { return [] }
        var texts: [String] = []
        _ = truth(of: Int(row(rule).condition), &texts)
        return texts
    }

    /// Evaluates a condition once more, and adds a text for everything in it that is unknown.
    private func truth(of row: Int, _ texts: inout [String]) -> Truth {
        let condition = project.tables.conditions[row]
        switch condition.kind {
        case .leaf: return leafTruth(row, &texts)
        case .audience: return audienceTruth(row, &texts)
        case .missingAudience:
            let id = project.text(Symbol(index: UInt32(bitPattern: condition.operand)))
            texts.append("unable to evaluate nested tree for audience ID \"\(id)\"")
            return .unknown(Int32(row))
        case .or:
            var result = Truth.no
            for operand in operands(of: row) {
                let truth = truth(of: operand, &texts)
                if truth == .yes { return .yes }
                if truth != .no { result = truth }
            }
            return result
        case .and:
            for operand in operands(of: row) {
                let truth = truth(of: operand, &texts)
                if truth != .yes { return truth }
            }
            return row + 1 < Int(condition.end) ? .yes : .unknown(Int32(row))
        case .not:
            guard let operand = operands(of: row).first else { return .unknown(Int32(row)) }
            switch truth(of: operand, &texts) {
            case .yes: return .no
            case .no: return .yes
            case .unknown(let cause): return .unknown(cause)
            }
        case .strayOperator, .emptyList, .nestedFirst: return .unknown(Int32(row))
        }
    }

    private func leafTruth(_ row: Int, _ texts: inout [String]) -> Truth {
        let truth = AudienceEvaluator(project: project).truth(of: row, for: user)
        let leaf = project.tables.leaves[Int(project.tables.conditions[row].operand)]
        if leaf.test == .unknownType {
            texts.append(
                "unable to evaluate condition of type \"\(project.tables.symbols.optionalText(leaf.type) ?? "")\"")
        } else if leaf.test == .unknownMatch {
            texts.append("invalid Condition matcher \"\(project.tables.symbols.optionalText(leaf.match) ?? "")\"")
        }
        return truth
    }

    private func audienceTruth(_ row: Int, _ texts: inout [String]) -> Truth {
        let audience = project.tables.audiences[Int(project.tables.conditions[row].operand)]
        // Audiences that refer to each other without end are evaluated within the budget of a decision.
        let truth =
            project.tables.audiencesNeedBudget
            ? AudienceEvaluator(project: project).truth(of: row, for: user)
            : truth(of: Int(audience.condition), &texts)
        if case .unknown = truth {
            let id = project.text(audience.id)
            texts.append("an error occurred while evaluating nested tree for audience ID \"\(id)\"")
        }
        return truth
    }

    private func operands(of row: Int) -> [Int] { project.operandRows(of: Int32(row)).map(Int.init) }

    // MARK: Assignments

    private func assignmentTexts(_ assigned: Int32, _ variation: Int32, within rule: Int32) -> [String] {
        switch kind(of: assigned) {
        case .experiment: return []
        case .rollout:
            let isLast = explainer.position(of: assigned) == DecisionExplainer.everyoneElse
            return isLast ? ["User \"\(user.id)\" meets conditions for targeting rule \"Everyone Else\"."] : []
        case .holdout:
            let name = key(assigned)
            guard isLocalHoldout(assigned) else {
                if variation < 0 { return ["User \(user.id) is in no holdout variation."] }
                return ["User \(user.id) is in variation \(variationKey(variation)) of holdout \(name)."]
            }
            let place = "local holdout \(name) for rule \(project.text(row(rule).id))."
            if variation < 0 { return ["User \(user.id) is not bucketed into \(place)"] }
            return ["User \(user.id) is in variation \(variationKey(variation)) of \(place)"]
        }
    }

    // MARK: Names

    private func row(_ rule: Int32) -> RuleRow { project.tables.rules[Int(rule)] }
    private func kind(of rule: Int32) -> Rule.Kind { row(rule).kind }
    private func key(_ rule: Int32) -> String { explainer.ruleKey(rule) }
    private func variationKey(_ variation: Int32) -> String { explainer.variationKey(variation) }

    private func isLocalHoldout(_ rule: Int32) -> Bool {
        kind(of: rule) == .holdout && !project.tables.globalHoldouts.range.contains(Int(rule))
    }
}

extension Decision {
    /// The reasons in the words of the vendor's Go client: errors first, then every step if `includeReasons` is set.
    package var agentReasons: [String] {
        let texts = errors.map(\.description)
        guard let record, let project, options.contains(.includeReasons), stage != .predictionFailed else {
            return texts
        }
        let explainer = AgentExplainer(project: project, flag: Int(flagRow), user: record.user)
        return texts + explainer.texts(for: record.steps)
    }
}
