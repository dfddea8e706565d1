/// What an operation came to: a value, or the error that kept it from one.
public enum OptimizelyResult<Value> {
    /// The operation succeeded.
    case success(Value)
    /// The operation failed.
    case failure(OptimizelyError)
}
