import TurnoutEngine

/// Counts exposures by flag and variation. Bounded, and without texts that only clients know: others are one number.
package struct ExposureCounts: Sendable {
    /// What exposures that are counted together have in common.
    package struct Arm: Hashable, Comparable, Sendable {
        let project: String
        let flag: String
        let variation: String

        package static func < (left: Arm, right: Arm) -> Bool {
            (left.project, left.flag, left.variation) < (right.project, right.flag, right.variation)
        }
    }

    package private(set) var counts: [Arm: Int] = [:]
    /// The exposures that are not among ``counts``.
    package private(set) var others = 0

    /// Adds exposures.
    ///
    /// - Parameters:
    ///   - exposures: Their numbers.
    ///   - isKnown: Whether a datafile has the variation. Called for those that were not counted before.
    mutating func add(_ exposures: [Arm: Int], isKnown: (Arm) -> Bool) {
        for (arm, count) in exposures {
            if counts[arm] != nil || counts.count < FlagUsage.metricLimit && isKnown(arm) {
                counts[arm, default: 0] += count
            } else {
                others += count
            }
        }
    }
}

extension EventRows {
    /// The variation of an exposure.
    func arm(of row: ExposureRow) -> ExposureCounts.Arm {
        .init(
            project: string(projectID) ?? "", flag: string(row.arm.flagKey) ?? "",
            variation: string(row.arm.variationKey) ?? "")
    }
}

extension Project {
    /// Whether users of a flag may get a variation, which is empty for those without one.
    func has(_ arm: ExposureCounts.Arm) -> Bool {
        guard let flag = flag(arm.flag) else { return false }
        let rules = flag.experiments + flag.rolloutRules + globalHoldouts + localHoldouts
        return arm.variation.isEmpty || rules.contains { $0.variations.contains { $0.key == arm.variation } }
    }
}
