/// How to use the cache when the segments of a user are fetched.
public enum OptimizelySegmentOption: Int, Sendable {
    /// Ask the service without looking into the cache, and do not store the answer.
    case ignoreCache
    /// Forget the cached segments of all users first.
    case resetCache
}
