/// Tells optionals from other values, where both come as `Any`.
protocol OptionalValue {
    /// What is inside, or nil.
    var content: Any? { get }
}

extension Optional: OptionalValue {
    var content: Any? { self }
}
