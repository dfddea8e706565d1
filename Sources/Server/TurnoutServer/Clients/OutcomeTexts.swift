import TurnoutClient
package import TurnoutEngine

/// JSON that is made from decisions with one datafile, kept for each outcome: decisions with the same outcome differ
/// only in the user and the reasons.
///
/// Any number of threads may use it. It holds at most one text for each stage, rule and variation of each flag.
package final class OutcomeTexts: Sendable {
    private let project: Project
    private let texts = Locked<[Decision.OutcomeID: String]>([:])

    init(_ project: Project) { self.project = project }

    /// A text made from a decision. It must not depend on the user.
    ///
    /// - Parameters:
    ///   - decision: The decision. If it was made with another datafile, its text is not kept.
    ///   - make: Makes the text of an outcome that was not seen before.
    /// - Returns: The text; equal outcomes have the same.
    package func text(of decision: Decision, _ make: (Decision) -> String) -> String {
        // Outcomes without a flag have no identity: they contain the requested key.
        guard decision.flag != nil, decision.isMade(with: project) else { return make(decision) }
        let id = decision.outcomeID
        if let text = texts.withLock({ $0[id] }) { return text }
        let text = make(decision)
        texts.withLock { $0[id] = text }
        return text
    }
}
