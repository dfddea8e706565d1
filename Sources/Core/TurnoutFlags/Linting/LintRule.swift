/// A kind of finding: its code, how serious it is, and why it matters. Errors cannot be ignored.
package struct LintRule: Sendable, Equatable {
    /// The code in findings and in `ignore:`.
    package let code: String
    package let severity: Diagnostic.Severity
    /// The common subject of the findings, in a few words without a period.
    package let meaning: String
    /// Why it matters and what to do, in one or two sentences that do not repeat the finding.
    package let explanation: String

    private init(
        _ code: String, _ severity: Diagnostic.Severity, _ meaning: String, _ explanation: String
    ) {
        self.code = code
        self.severity = severity
        self.meaning = meaning
        self.explanation = explanation
    }

    /// The meaning of a code, including those of errors, in one sentence without a period; nil for an unknown code.
    package static func meaning(of code: String) -> String? {
        all.first { $0.code == code }?.meaning ?? SyntaxProblem(rawValue: code)?.meaning
            ?? ReadingProblem(rawValue: code)?.meaning ?? CompilingProblem(rawValue: code)?.meaning
            ?? LockProblem(rawValue: code)?.meaning
    }

    /// How findings with a code are silenced, as a sentence.
    package static func silencing(_ code: String) -> String {
        "To silence a finding, add `ignore: [\(code)]` to the part that it is about, or to the project."
    }

    /// All kinds of findings, sorted by code.
    package static let all: [LintRule] = [
        allowListHeldOut, allowListUnused, audienceAlwaysMet, audienceNeverMet, attributeMixedTypes, conditionDepth,
        conditionSize, datafileWarning, deliveryRedundant, environmentFileName, experimentEnded,
        experimentOneVariation, experimentWithoutMetric, flagAlwaysOff, groupUnallocated, keyRemoved, notChecked,
        planTooLong, planWithoutMetric, ruleUnreachable, rulesUnused, trafficZero, unusedAttribute,
        unknownIgnoredCode, unusedAudience, unusedEvent, unusedMetric, unusedVariation,
        variableNeverOverridden, variationsEqual,
    ].sorted { $0.code < $1.code }

    static let ruleUnreachable = LintRule(
        "rule-unreachable", .warning, "No user reaches the rule",
        "Earlier rules or a holdout take its users. Move the rule up, narrow what comes before it, or remove it.")
    static let audienceNeverMet = LintRule(
        "audience-never-met", .warning, "No user meets the condition",
        "Its parts contradict each other. Correct them, or remove the rules that need it: a rule without a condition "
            + "is for everyone.")
    static let audienceAlwaysMet = LintRule(
        "audience-always-met", .warning, "Every user meets the condition",
        "It restricts nothing. Check what was meant, or remove it, and its name from the rules that have it.")
    static let conditionDepth = LintRule(
        "condition-depth", .error, CompilingProblem.conditionDepth.meaning, ConditionCompiler.depthAdvice)
    static let conditionSize = LintRule(
        "condition-size", .error, CompilingProblem.conditionSize.meaning, ConditionCompiler.sizeAdvice)
    static let datafileWarning = LintRule(
        "datafile-warning", .warning, "Clients interpret a part of the datafile differently from how it is written",
        "Clients handle this part as the message says. Correct it where the datafile is made; in a project, in the "
            + "`datafile` member that it comes from.")
    static let environmentFileName = LintRule(
        "environment-file-name", .error, "The key of an environment cannot name a file",
        "Its datafile is named by the key. Choose a key that is not empty, does not start with a dot, and has no \"/\" "
            + "and no control characters; `was` keeps the ids.")
    static let variableNeverOverridden = LintRule(
        "variable-never-overridden", .note, "A variable has the same value in all variations",
        "Programs always get its default. Give it a value in a variation, or make it a constant of the program.")
    static let variationsEqual = LintRule(
        "variations-equal", .warning, "An experiment compares equal variations",
        "Both enable the flag alike and have the same values, so the comparison shows nothing. Change or remove one.")
    static let unusedAudience = LintRule(
        "unused-audience", .note, "No rule and no audience refers to the audience",
        "Clients still download it. Remove it, or name it in a rule.")
    static let unusedAttribute = LintRule(
        "unused-attribute", .note, "No audience and no bandit uses the attribute",
        "Programs may still send it with events; if so, ignore this finding. Otherwise remove it.")
    static let unusedEvent = LintRule(
        "unused-event", .note, "No experiment and no rule of a segment uses the event",
        "Programs may still track it; if so, ignore this finding. Otherwise remove it.")
    static let unusedMetric = LintRule(
        "unused-metric", .note, "No experiment has the metric",
        "Nothing is measured by it. Remove it, or name it in the `metrics` of a rule.")
    static let planTooLong = LintRule(
        "plan-too-long", .warning, "An experiment takes more than 90 days to reach its planned size",
        "Few visitors keep their cookies or devices so long, and the world changes meanwhile. Look for a larger effect "
            + "(`turnout plan`), give it more traffic, or choose a metric that varies less.")
    static let planWithoutMetric = LintRule(
        "plan-without-metric", .warning, "An experiment has a planned size and no metric",
        "The size depends on what is measured. Add `metrics`, with the one that the size was computed for first.")
    static let unknownIgnoredCode = LintRule(
        "unknown-ignored-code", .warning, "A code in `ignore` turns off nothing",
        "No warning or note has this code, and errors cannot be ignored. Correct or remove it; `turnout lint --codes` "
            + "lists all codes.")
    static let unusedVariation = LintRule(
        "unused-variation", .note, "No rule serves the variation",
        "Only programs that force it get it. Remove it, or serve it.")
    static let experimentWithoutMetric = LintRule(
        "experiment-without-metric", .warning, "An experiment has no metrics",
        "Nothing says what it measures, so it can have no result. Add `metrics`.")
    static let experimentOneVariation = LintRule(
        "experiment-one-variation", .warning, "An experiment has one variation",
        "There is nothing to compare. Use a delivery, or add a variation.")
    static let experimentEnded = LintRule(
        "experiment-ended", .note, "An experiment has ended",
        "It no longer applies. Remove it, in groups and holdouts as well; its id stays in the lock and is never used "
            + "again.")
    static let allowListHeldOut = LintRule(
        "allow-list-held-out", .warning, "Users of an allow list are in a holdout",
        "A holdout takes precedence over an allow list, so these users do not get their variation. Remove them from "
            + "the list, or limit the holdout to other rules.")
    static let allowListUnused = LintRule(
        "allow-list-unused", .note, "The experiment of an allow list does not run",
        "Its users get nothing. Let the experiment run, or remove the list if it has ended.")
    static let attributeMixedTypes = LintRule(
        "attribute-mixed-types", .warning, "An attribute is compared as several types",
        "An attribute has one type per user: a number never equals a string, and a version is a string. "
            + "At most one of these tests can pass for a user. Compare it as the type that programs send.")
    static let rulesUnused = LintRule(
        "rules-unused", .warning, "No environment has the shared rules of a flag",
        "Every environment has `rules` of its own under `in`, so an edit of the shared ones changes nothing. Remove "
            + "these, or those of an environment that is to have them.")
    static let keyRemoved = LintRule(
        "key-removed", .note, "A key of the lock is no longer in the project",
        "The next compilation permanently retires its id. If it was renamed, add `was: OLD_KEY` to the new one before, "
            + "which keeps the id and the users.")
    static let notChecked = LintRule(
        "not-checked", .warning, "Something in the form of datafiles is not checked",
        "Clients read it as it is, so no mistake in it is found. Say it in the words of the project file, or ignore "
            + "this finding for the part.")
    static let trafficZero = LintRule(
        "traffic-zero", .note, "A rule or a holdout has no traffic",
        "No user gets it. Raise `traffic`, or remove it if it is not a pause. Later deliveries then get the users of a "
            + "delivery.")
    static let flagAlwaysOff = LintRule(
        "flag-always-off", .note, "A flag is always off",
        "No rule of any environment enables it. Remove it if programs no longer ask for it.")
    static let deliveryRedundant = LintRule(
        "delivery-redundant", .note, "A delivery serves what everyone else gets",
        "Its users get the same without it. Remove it, or serve another variation.")
    static let groupUnallocated = LintRule(
        "group-unallocated", .note, "An experiment has no share in its group",
        "No user takes part. Raise its share, or remove the experiment if this is not a pause. Outside of the group, "
            + "it would take users of the others.")
}
