/// An option for how the segment cache is used when a user's segments are fetched.
public enum OptimizelySegmentOption: Int, Sendable {
    /// Request the segments without reading or writing the cache.
    case ignoreCache
    /// Clear the cached segments of all users first.
    case resetCache
}
