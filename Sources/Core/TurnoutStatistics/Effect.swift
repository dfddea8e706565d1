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
