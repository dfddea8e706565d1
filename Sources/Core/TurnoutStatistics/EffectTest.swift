import LibC

/// Tests whether an effect is 0, and gives the interval of effects that are not refuted.
package struct EffectTest: Sendable, Equatable {
    package enum Method: Sendable, Equatable {
        /// The asymptotic confidence sequence: it may be looked at at any time, and as often as one wants.
        ///
        /// It is tightest at the planned number of visitors in both arms, which is fixed before the first look
        /// (I. Waudby-Smith, D. Arbour, R. Sinha, E. H. Kennedy, A. Ramdas: *Time-Uniform Central Limit Theory and
        /// Asymptotic Confidence Sequences*, Annals of Statistics 52 (2024); equations 9, 155 and 161 of arXiv
        /// 2103.06476v7).
        case alwaysValid(plannedVisitors: Int)
        /// Welch's t-test, which is valid for one look at a time that was fixed before.
        case fixedHorizon
    }

    package let method: Method
    /// The probability of an error if there is no effect, for both sides together.
    package let alpha: Double
    /// The ``alpha`` for which a sequence is tightest at the planned number. P-values depend on it only.
    package let tuning: Double

    /// Creates a test.
    ///
    /// - Parameters:
    ///   - method: The method.
    ///   - alpha: The level of intervals. An interval excludes 0 exactly where the p-value is less.
    ///   - tuning: The level for which a sequence is tightest at the planned number. Default: `alpha`.
    package init(_ method: Method, alpha: Double = 0.05, tuning: Double? = nil) {
        (self.method, self.alpha, self.tuning) = (method, alpha, tuning ?? alpha)
    }

    /// The probability of an estimate as far from 0 as this one if there is no effect, or a bound for it at all times;
    /// nil if nothing varies.
    package func pValue(of effect: Effect) -> Double? {
        guard effect.squaredError > 0 else { return nil }
        let square = effect.value * effect.value / effect.squaredError
        let p: Double
        switch method {
        case .alwaysValid(let planned):
            let information = information(of: effect, planned: planned)
            p = exp((log1p(information) - square * information / (1 + information)) / 2)
        case .fixedHorizon:
            p = 2 * Student.upperTail(square.squareRoot(), degreesOfFreedom: effect.degreesOfFreedom)
        }
        return p.isNaN ? nil : min(1, p)
    }

    /// The effects that are not refuted; nil if nothing varies.
    package func interval(of effect: Effect) -> Interval? {
        let width = criticalValue(of: effect) * effect.squaredError.squareRoot()
        return width > 0 && width.isFinite && effect.value.isFinite
            ? Interval(effect.value - width, effect.value + width) : nil
    }

    /// Half the width of the interval in standard errors.
    package func criticalValue(of effect: Effect) -> Double {
        switch method {
        case .alwaysValid(let planned):
            let information = information(of: effect, planned: planned)
            return ((1 + information) / information * (log1p(information) - 2 * log(alpha))).squareRoot()
        case .fixedHorizon: return Student.quantile(upperTail: alpha / 2, degreesOfFreedom: effect.degreesOfFreedom)
        }
    }

    /// The number of visitors, multiplied by the square of the sequence's parameter ρ.
    private func information(of effect: Effect, planned: Int) -> Double {
        let width = -2 * log(tuning)
        return effect.visitors * (width + log1p(width)) / Double(max(1, planned))
    }
}
