/// The 95 % confidence interval of a share: the score interval.
///
/// It is accurate also for few users and for shares near 0 and 1, where the usual interval around the share is not.
///
/// Edwin B. Wilson: Probable Inference, the Law of Succession, and Statistical Inference. Journal of the American
/// Statistical Association 22 (1927), pages 209–212.
package struct WilsonInterval: Sendable, Equatable {
    /// The bounds, from 0 to 1.
    package let range: ClosedRange<Double>

    /// The 97.5 % quantile of the normal distribution.
    private static let quantile = 1.959963984540054

    /// Creates the interval of the share that `users` are of a sample.
    package init(_ users: Int, of sample: Int) {
        guard sample > 0 else {
            range = 0...1
            return
        }
        let (count, square) = (Double(sample), Self.quantile * Self.quantile)
        let share = Double(users) / count
        let center = (share + square / (2 * count)) / (1 + square / count)
        let deviation = (share * (1 - share) / count + square / (4 * count * count)).squareRoot()
        let width = Self.quantile * deviation / (1 + square / count)
        // The bounds of 0 and 1 are exact, not rounded.
        let lower = users == 0 ? 0 : max(center - width, 0)
        range = lower...(users == sample ? 1 : min(center + width, 1))
    }
}

enum ShareText {
    /// `12.3 %`, with more digits for less than one percent: `0.12 %`, `< 0.01 %`.
    static func percent(_ share: Double) -> String { number(share) + " %" }

    /// `12.1–12.5 %`.
    static func percent(_ range: ClosedRange<Double>) -> String {
        let (lower, upper) = (number(range.lowerBound), number(range.upperBound))
        return lower == upper ? lower + " %" : "\(lower)–\(upper) %"
    }

    private static func number(_ share: Double) -> String {
        let percent = share * 100
        if percent > 0, percent < 0.01 { return "<0.01" }
        if percent < 100, percent > 99.99 { return ">99.99" }
        let isFine = percent > 0 && (percent < 1 || percent > 99 && percent < 100)
        let unit = isFine ? 100 : 10
        let units = Int((percent * Double(unit)).rounded())
        let digits = String(units % unit)
        return "\(units / unit)." + (isFine && digits.count < 2 ? "0" : "") + digits
    }
}
