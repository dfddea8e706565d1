/// The result of an operation: a value or an error.
public enum OptimizelyResult<Value> {
    /// The operation succeeded.
    case success(Value)
    /// The operation failed.
    case failure(OptimizelyError)
}
