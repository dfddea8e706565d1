/// A treatment beside the control.
package struct Comparison: Sendable, Equatable {
    package let control: Sample
    package let treatment: Sample
    /// The slope of the adjustment by earlier numbers; nil for means that are not adjusted.
    package let theta: Double?

    package init(control: Sample, treatment: Sample, theta: Double? = nil) {
        self.control = control
        self.treatment = treatment
        self.theta = theta
    }

    /// Compares a metric; nil if an arm has no visitors or no number.
    ///
    /// - Parameters:
    ///   - control: The sums of the control.
    ///   - treatment: The sums of the treatment.
    ///   - metric: The metric that was summed.
    ///   - isAdjusted: Whether means are adjusted by earlier numbers, with the slope over the visitors of both arms
    ///     together: slopes of one arm each would explain a part of the effect.
    package init?(_ control: Moments, _ treatment: Moments, of metric: Metric, isAdjusted: Bool = false) {
        guard let first = Sample(control, of: metric), let second = Sample(treatment, of: metric) else { return nil }
        let both = control + treatment
        let theta = both.covariance / both.companionVariance
        guard isAdjusted, metric.denominator == nil, theta.isFinite else {
            self.init(control: first, treatment: second)
            return
        }
        self.init(
            control: Sample(control, adjustedBy: theta, around: both.companionMean),
            treatment: Sample(treatment, adjustedBy: theta, around: both.companionMean), theta: theta)
    }

    /// The treatment's mean minus the control's.
    package var difference: Effect {
        effect(treatment.mean - control.mean, control.squaredError, treatment.squaredError)
    }

    /// The difference, divided by the control's mean before it was adjusted, with the linear error of the delta method.
    package var relativeDifference: Effect {
        let mean = control.unadjustedMean
        let ratio = treatment.unadjustedMean / mean
        return effect(
            difference.value / mean, ratio * ratio * control.squaredError / (mean * mean),
            treatment.squaredError / (mean * mean))
    }

    private func effect(_ value: Double, _ controlError: Double, _ treatmentError: Double) -> Effect {
        let (a, b) = (control.squaredError, treatment.squaredError)
        let (freeA, freeB) = (Double(control.visitors) - 1, Double(treatment.visitors) - 1)
        return Effect(
            value: value, squaredError: controlError + treatmentError,
            visitors: Double(control.visitors) + Double(treatment.visitors),
            degreesOfFreedom: (a + b) * (a + b) / (a * a / freeA + b * b / freeB))
    }
}
