/// A relative difference.
package struct Lift: Sendable, Equatable {
    package let value: Double
    package let interval: Interval

    package init(value: Double, interval: Interval) {
        self.value = value
        self.interval = interval
    }
}

extension Comparison {
    /// Above this ``uncertainty(alpha:)``, the linear interval is visibly wrong.
    package static let linearLimit = 0.05

    /// Fieller's g: the squared relative error of the control's mean, multiplied by the squared normal quantile. From
    /// 1, the mean cannot be told from 0, and a relative difference means nothing.
    package func uncertainty(alpha: Double) -> Double {
        let z = Normal.quantile(upperTail: alpha / 2)
        return z * z * control.squaredError / (control.unadjustedMean * control.unadjustedMean)
    }

    /// The relative difference and its interval; nil while the control's mean cannot be told from 0.
    package func lift(by test: EffectTest) -> Lift? {
        let relative = relativeDifference
        let uncertainty = uncertainty(alpha: test.alpha)
        guard uncertainty < 1 else { return nil }
        let interval =
            uncertainty <= Self.linearLimit
            ? test.interval(of: relative) : fiellerInterval(around: relative, test.criticalValue(of: relative))
        return interval.map { Lift(value: relative.value, interval: $0) }
    }

    /// The relative differences that are not refuted (E. C. Fieller: *Some Problems in Interval Estimation*, Journal of
    /// the Royal Statistical Society B 16 (1954), pages 175–185); nil if they have no bounds.
    private func fiellerInterval(around relative: Effect, _ criticalValue: Double) -> Interval? {
        let square = control.unadjustedMean * control.unadjustedMean / (criticalValue * criticalValue)
        let (g, h) = (control.squaredError / square, treatment.squaredError / square)
        let ratio = 1 + relative.value
        let width = (h * (1 - g) + g * ratio * ratio).squareRoot() / (1 - g)
        return g < 1 && width > 0 && width.isFinite
            ? Interval(ratio / (1 - g) - width - 1, ratio / (1 - g) + width - 1) : nil
    }
}
