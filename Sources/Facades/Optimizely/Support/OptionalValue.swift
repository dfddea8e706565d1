/// Identifies optionals among values of type `Any`.
protocol OptionalValue {
    /// The wrapped value, or nil.
    var content: Any? { get }
}

extension Optional: OptionalValue {
    var content: Any? { self }
}
