/// What an experiment shows at one time, given all that it showed before.
package struct Look: Sendable, Equatable {
    package let comparison: Comparison
    /// The smallest p-value so far.
    package let pValue: Double
    /// What the intervals so far have in common; nil if that is nothing, because the effect has changed.
    package let interval: Interval?
    /// The relative difference, with what its intervals so far have in common; nil if there is none, or nothing.
    package let lift: Lift?
}

extension EffectTest {
    /// Looks at an experiment again and again.
    ///
    /// An always valid test keeps what earlier looks have refuted: its p-value never rises, and its interval never
    /// grows. Each look of a fixed-horizon test stands alone.
    ///
    /// - Parameters:
    ///   - comparisons: What is known at each time, in order; nil while there are too few visitors.
    ///   - effect: The effect whose p-values and intervals are computed. Default: the difference.
    /// - Returns: A look for each comparison; nil if it has too few visitors, or if nothing varies.
    package func looks(
        at comparisons: some Sequence<Comparison?>, of effect: (Comparison) -> Effect = \.difference
    ) -> [Look?] {
        var smallest = 1.0
        let everything = Interval(-.infinity, .infinity)
        var common: (effect: Interval?, lift: Interval?) = (everything, everything)
        return comparisons.map { comparison in
            guard let comparison, let p = pValue(of: effect(comparison)),
                let interval = interval(of: effect(comparison))
            else { return nil }
            let lift = comparison.lift(by: self)
            if method == .fixedHorizon { (smallest, common) = (1, (everything, everything)) }
            smallest = min(smallest, p)
            common.effect = common.effect?.intersection(interval)
            if let lift { common.lift = common.lift?.intersection(lift.interval) }
            return Look(
                comparison: comparison, pValue: smallest, interval: common.effect,
                lift: lift.flatMap { lift in common.lift.map { Lift(value: lift.value, interval: $0) } })
        }
    }
}
