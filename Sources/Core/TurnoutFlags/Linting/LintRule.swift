/// A kind of finding: its code, how serious it is, and why it matters. Errors cannot be ignored.
package struct LintRule: Sendable, Equatable {
    /// The code in findings and in `ignore:`.
    package let code: String
    /// How serious it is.
    package let severity: Diagnostic.Severity
    /// Why it matters and what to do, in one or two sentences.
    package let explanation: String

    private init(_ code: String, _ severity: Diagnostic.Severity, _ explanation: String) {
        self.code = code
        self.severity = severity
        self.explanation = explanation
    }
}

extension LintRule {
    /// All kinds of findings, sorted by code.
    package static let all: [LintRule] = [
        allowListHeldOut, allowListUnused, audienceAlwaysMet, audienceNeverMet, attributeMixedTypes, conditionDepth,
        conditionSize, datafileWarning, deliveryRedundant, experimentEnded, experimentOneVariation,
        experimentWithoutMetric, flagAlwaysOff, groupUnallocated, ruleUnreachable, trafficZero, unusedAttribute,
        unknownIgnoredCode, unusedAudience, unusedEvent, unusedVariation, variableNeverOverridden, variationsEqual,
    ].sorted { $0.code < $1.code }

    static let ruleUnreachable = LintRule(
        "rule-unreachable", .warning,
        "An earlier rule takes every user, so this rule never applies. Move it up, or remove it.")
    static let audienceNeverMet = LintRule(
        "audience-never-met", .warning,
        "The conditions contradict each other, so no user meets the audience and its rules never apply.")
    static let audienceAlwaysMet = LintRule(
        "audience-always-met", .warning,
        "Every user meets the condition, so it restricts nothing. Remove it, or check what was meant.")
    static let conditionDepth = LintRule("condition-depth", .error, ConditionCompiler.depthAdvice)
    static let conditionSize = LintRule("condition-size", .error, ConditionCompiler.sizeAdvice)
    static let datafileWarning = LintRule(
        "datafile-warning", .warning,
        "Clients read the datafile, but handle this part as the message says. Correct it where the datafile is made; "
            + "in a project, in the `datafile` member that it comes from.")
    static let variableNeverOverridden = LintRule(
        "variable-never-overridden", .note,
        "No variation changes the variable, so the flag cannot change it either.")
    static let variationsEqual = LintRule(
        "variations-equal", .warning,
        "Two variations of a split enable the flag alike and have the same values, so comparing them shows nothing.")
    static let unusedAudience = LintRule("unused-audience", .note, "No rule and no audience refers to it.")
    static let unusedAttribute = LintRule(
        "unused-attribute", .note,
        "No audience and no bandit uses it. Programs may still send it with events; if so, ignore this finding.")
    static let unusedEvent = LintRule(
        "unused-event", .note,
        "It is no metric of an experiment. Programs may still track it; if so, ignore this finding.")
    static let unknownIgnoredCode = LintRule(
        "unknown-ignored-code", .warning,
        "The code in `ignore` turns off nothing: no warning and no note has it, and errors cannot be ignored. Correct "
            + "or remove it; `turnout lint --codes` lists all codes.")
    static let unusedVariation = LintRule("unused-variation", .note, "No rule serves the variation.")
    static let experimentWithoutMetric = LintRule(
        "experiment-without-metric", .warning,
        "Nothing says what the experiment measures, so it can have no result. Add `metrics`.")
    static let experimentOneVariation = LintRule(
        "experiment-one-variation", .warning,
        "All traffic goes to one variation, so there is nothing to compare. Use a delivery, or add a variation.")
    static let experimentEnded = LintRule(
        "experiment-ended", .note,
        "The experiment no longer applies. Remove it; its id stays in the lock and is never used again.")
    static let allowListHeldOut = LintRule(
        "allow-list-held-out", .warning,
        "A holdout takes precedence over an allow list, so these users do not get their variation.")
    static let allowListUnused = LintRule(
        "allow-list-unused", .note, "Only running experiments have an effect, and this one does not run.")
    static let attributeMixedTypes = LintRule(
        "attribute-mixed-types", .warning,
        "An attribute has one type per user: a number never equals a string, and a version is a string. "
            + "At most one of these conditions can be met.")
    static let trafficZero = LintRule("traffic-zero", .note, "The rule takes no users.")
    static let flagAlwaysOff = LintRule(
        "flag-always-off", .note,
        "No rule of any environment enables the flag. Remove it if programs no longer ask for it.")
    static let deliveryRedundant = LintRule(
        "delivery-redundant", .note,
        "The users of this delivery get the same variation from the rule for everyone else.")
    static let groupUnallocated = LintRule(
        "group-unallocated", .warning, "The experiment has no share in its group, so no user takes part.")
}
