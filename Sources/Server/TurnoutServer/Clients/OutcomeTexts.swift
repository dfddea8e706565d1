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

    /// Texts made from decisions. They must not depend on the user.
    ///
    /// - Parameters:
    ///   - decisions: The decisions. The texts of those that were made with another datafile are not kept.
    ///   - make: Makes the text of an outcome that was not seen before.
    /// - Returns: The texts in order; equal outcomes have the same.
    package func texts(of decisions: [Decision], _ make: (Decision) -> String) -> [String] {
        // Outcomes without a flag have no identity: they contain the requested key.
        let ids = decisions.map { $0.flag != nil && $0.belongs(to: project) ? $0.outcomeID : nil }
        // Once for all decisions: the lock is shared by all requests.
        let known = texts.withLock { texts in ids.map { $0.flatMap { texts[$0] } } }
        let result = zip(decisions, known).map { $1 ?? make($0) }
        guard known.contains(nil) else { return result }
        texts.withLock { texts in
            for (id, text) in zip(ids, result) {
                if let id { texts[id] = text }
            }
        }
        return result
    }
}
