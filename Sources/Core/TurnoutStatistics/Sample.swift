/// The mean of a metric in one arm.
package struct Sample: Sendable, Equatable {
    package let visitors: Int
    package let mean: Double
    /// The variance of one visitor.
    package let variance: Double
    /// The mean before it was adjusted by earlier numbers; otherwise the mean.
    package let unadjustedMean: Double

    package init(visitors: Int, mean: Double, variance: Double, unadjustedMean: Double? = nil) {
        self.visitors = visitors
        self.mean = mean
        self.variance = variance
        self.unadjustedMean = unadjustedMean ?? mean
    }

    /// The squared standard error of the mean.
    package var squaredError: Double { variance / Double(visitors) }
}

extension Sample {
    /// The estimate of a mean, or of a ratio.
    ///
    /// - The variance of a proportion p is p(1 - p), without a correction for the size of the sample.
    /// - That of a ratio Y / X is the delta method's: A. Deng, U. Knoblich, J. Lu: *Applying the Delta Method in Metric
    ///   Analytics*, KDD 2018.
    ///
    /// Nil if there is no number, as without visitors.
    package init?(_ moments: Moments, of metric: Metric) {
        let (mean, variance) =
            if metric.denominator != nil {
                (moments.ratio, moments.ratioVariance)
            } else {
                (moments.mean, metric.quantity == .conversion ? moments.mean * (1 - moments.mean) : moments.variance)
            }
        guard mean.isFinite else { return nil }
        self.init(visitors: moments.visitors, mean: mean, variance: variance)
    }

    /// The estimate of a mean that is adjusted by earlier numbers X: Y - θ (X - X̄) (CUPED; A. Deng, Y. Xu, R. Kohavi,
    /// T. Walker: *Improving the Sensitivity of Online Controlled Experiments by Utilizing Pre-Experiment Data*, WSDM
    /// 2013). The variance of a proportion has the divisor n - 1 here, as that of the earlier numbers.
    init(_ moments: Moments, adjustedBy theta: Double, around companionMean: Double) {
        self.init(
            visitors: moments.visitors, mean: moments.mean - theta * (moments.companionMean - companionMean),
            variance: moments.residualVariance(slope: theta), unadjustedMean: moments.mean)
    }
}

extension Moments {
    /// The variance of the amount minus a multiple of the companion.
    fileprivate func residualVariance(slope: Double) -> Double {
        let variance = variance - 2 * slope * covariance + slope * slope * companionVariance
        // A relation without scatter may leave a rounding error below 0.
        return variance < 0 ? 0 : variance
    }

    fileprivate var ratioVariance: Double { residualVariance(slope: ratio) / (companionMean * companionMean) }
}
