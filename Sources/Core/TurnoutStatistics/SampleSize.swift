import LibC

/// How many visitors an experiment needs to find an effect.
///
/// The sizes are those of a fixed horizon. With an always valid test that plans with such a size, or half of it, a
/// power of 80 % needs ``alwaysValidFactor`` times as many; on average, a real effect is found at 1.1 times the size.
package struct SampleSize: Sendable, Equatable {
    /// Between 1.67 and 1.7, found by simulating experiments with such plans; `TURNOUT_THOROUGH_TESTS` repeats it.
    package static let alwaysValidFactor = 1.7

    /// The probability of an error if there is no effect, for both sides together.
    package var alpha: Double
    /// The probability of finding the effect.
    package var power: Double

    package init(alpha: Double = 0.05, power: Double = 0.8) {
        self.alpha = alpha
        self.power = power
    }

    /// The visitors of each arm for a difference of two rates, with the variance of both (S.-C. Chow, J. Shao, H. Wang:
    /// *Sample Size Calculations in Clinical Research* (2008), section 4.2). Nil if a rate is not between 0 and 1, or
    /// if there is no difference.
    package func perArm(rate: Double, difference: Double) -> Double? {
        let other = rate + difference
        guard min(rate, other) >= 0, max(rate, other) <= 1 else { return nil }
        let quantiles = Normal.quantile(upperTail: alpha / 2) + Normal.quantile(upperTail: 1 - power)
        return finite(
            quantiles * quantiles * (rate * (1 - rate) + other * (1 - other)) / (difference * difference))
    }

    /// The visitors of the control for a difference of two means, found on either side.
    ///
    /// - Parameters:
    ///   - deviation: The standard deviation of one visitor.
    ///   - difference: The difference of the means.
    ///   - ratio: The visitors of the treatment for each of the control. Default: 1.
    /// - Returns: The number, or nil if there is none.
    package func ofControl(deviation: Double, difference: Double, ratio: Double = 1) -> Double? {
        let quantile = Normal.quantile(upperTail: alpha / 2)
        // The distance of the means in standard errors at which the test has the power.
        var distance = quantile + Normal.quantile(upperTail: 1 - power)
        for _ in 0..<20 {
            let (near, far) = (quantile - distance, quantile + distance)
            let excess = Normal.upperTail(near) + Normal.upperTail(far) - power
            distance -= excess * (2 * Double.pi).squareRoot() / (exp(-near * near / 2) - exp(-far * far / 2))
        }
        let errors = distance * deviation / difference
        return finite(errors * errors * (1 + 1 / ratio))
    }

    private func finite(_ size: Double) -> Double? { size > 0 && size.isFinite ? size : nil }
}
