extension ProjectLint {
    /// Findings about codes in `ignore` that turn off nothing.
    var ignoredCodeFindings: [LintFinding] {
        let codes = LintRule.all.filter { $0.severity != .error }.map(\.code)
        let known = Set(codes)
        let errors = Set(
            ReadingProblem.allCases.map(\.rawValue) + CompilingProblem.allCases.map(\.rawValue)
                + LintRule.all.filter { $0.severity == .error }.map(\.code))
        var reported: Set<Int> = []
        // An unknown code is compared with all codes, which takes long for very many.
        var suggestions = Diagnostics.listedLimit
        return allIgnored.compactMap { ignored in
            let code = ignored.code
            guard !known.contains(code) else { return nil }
            // The rules that several environments share are listed once for each.
            if let offset = ignored.origin.range?.lowerBound, !reported.insert(offset).inserted { return nil }
            suggestions -= 1
            let meant =
                errors.contains(code) || suggestions < 0 ? nil : Spelling.suggestion(for: code, among: codes)
            let what = errors.contains(code) ? "\(quoted(code)) is an error" : "there is no finding \(quoted(code))"
            return LintFinding(.unknownIgnoredCode, what, at: ignored.origin, suggestion: meant)
        }
    }

    private var allIgnored: [IgnoredFinding] {
        project.ignoredFindings + project.attributes.flatMap(\.ignoredFindings)
            + project.events.flatMap(\.ignoredFindings) + project.audiences.flatMap(\.ignoredFindings)
            + project.flags.flatMap(\.ignoredFindings) + allExperiments.flatMap(\.ignoredFindings)
            + allRules.flatMap(\.deliveries).flatMap(\.ignoredFindings)
            + project.groups.flatMap(\.ignoredFindings) + project.holdouts.flatMap(\.ignoredFindings)
    }
}
