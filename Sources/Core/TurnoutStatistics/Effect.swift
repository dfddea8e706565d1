/// The estimate of an effect: a difference of two means, absolute or relative.
package struct Effect: Sendable, Equatable {
    package let value: Double
    /// The squared standard error.
    package let squaredError: Double
    /// The number of visitors in both arms.
    package let visitors: Double
    /// The degrees of freedom of Welch and Satterthwaite.
    package let degreesOfFreedom: Double
}

/// The numbers from one to another.
package struct Interval: Sendable, Equatable {
    package let lower: Double
    package let upper: Double

    package init(_ lower: Double, _ upper: Double) {
        self.lower = lower
        self.upper = upper
    }

    /// What both have in common; nil if that is nothing.
    package func intersection(_ other: Interval) -> Interval? {
        let (lower, upper) = (max(lower, other.lower), min(upper, other.upper))
        return lower <= upper ? Interval(lower, upper) : nil
    }
}
