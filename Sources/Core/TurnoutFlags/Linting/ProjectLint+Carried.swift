import TurnoutEngine

/// Members that are carried from a datafile. They override the members that the project spells, so findings about the
/// latter would be wrong.
extension ProjectLint {
    /// Findings about what is not checked, because it has the form of datafiles.
    var carriedFindings: [LintFinding] {
        project.carriedParts.filter { !$0.uncheckedMembers.isEmpty }.map { part in
            LintFinding(
                .notChecked, "\(part.uncheckedMembers.joined(separator: ", ")) of \(part.name) is not checked",
                at: part.origin, in: part.environment.map { [$0] } ?? [], ignored: part.ignoredFindings)
        }
    }

    /// The rules that the `experimentIds` of events name. Imported events say so, because a metric is more than that.
    static func measuredRules(of project: AuthoredProject, _ lock: LockFile?) -> Set<RuleReference> {
        var ids: Set<String> = []
        for event in project.events { ids.formUnion(event.carriedExperimentIDs) }
        guard !ids.isEmpty, let lock else { return [] }
        var rules: Set<RuleReference> = []
        for (path, id) in lock.ids where path.kind == .rule && path.keys.count == 3 && ids.contains(id) {
            rules.insert(RuleReference(flag: path.keys[1].isEmpty ? nil : path.keys[1], rule: path.keys[2]))
        }
        return rules
    }

    /// The names and ids in carried conditions, which can be those of attributes and audiences.
    var carriedWords: Set<String> {
        var words: Set<String> = []
        let conditions = project.audiences.map(\.condition) + conditions
        for condition in conditions { condition.collectCarriedWords(into: &words) }
        let members =
            project.audiences.map(\.verbatim) + allExperiments.map(\.verbatim)
            + allRules.flatMap(\.deliveries).map(\.verbatim) + allRules.compactMap(\.everyoneElse?.verbatim)
            + project.holdouts.map(\.verbatim)
        for member in members {
            for key in ["conditions", "audienceConditions", "audienceIds", "cmab"] {
                member[key]?.collectTexts(into: &words)
            }
        }
        return words
    }

    /// Whether carried words name a part, by its key or by its id.
    func isCarried(_ path: EntityPath, in words: Set<String>) -> Bool {
        guard !words.isEmpty else { return false }
        return words.contains(path.keys.last ?? "") || lock?.ids[path].map(words.contains) ?? false
    }
}

extension AuthoredEvent {
    /// The ids of the experiments that it measures, as a datafile says.
    var carriedExperimentIDs: [String] { verbatim["experimentIds"]?.elements.compactMap(\.text) ?? [] }
}

extension [String: JSONValue] {
    /// Whether members replace one of those with these keys.
    func replaces(_ keys: String...) -> Bool { keys.contains { self[$0] != nil } }
}

extension AuthoredCondition {
    fileprivate func collectCarriedWords(into words: inout Set<String>) {
        switch self {
        case .all(let operands), .any(let operands):
            for operand in operands { operand.collectCarriedWords(into: &words) }
        case .not(let operand): operand.collectCarriedWords(into: &words)
        case .verbatim(let value): value.collectTexts(into: &words)
        case .audience, .segment, .attribute: break
        }
    }
}

extension JSONValue {
    fileprivate var elements: [JSONValue] {
        guard case .array(let elements) = self else { return [] }
        return elements
    }

    fileprivate func collectTexts(into words: inout Set<String>) {
        switch self {
        case .string(let text):
            words.insert(text)
            // Conditions can be JSON in a string.
            let inner = parsedCondition
            if inner != self { inner.collectTexts(into: &words) }
        case .array(let elements): for element in elements { element.collectTexts(into: &words) }
        case .object(let members): for member in members.values { member.collectTexts(into: &words) }
        default: break
        }
    }
}
