/// How large and how deep a JSON text may be before it is refused.
///
/// Both limits guard the process against hostile input: depth bounds the stack, size bounds the memory.
public struct JSONLimits: Sendable, Equatable {
    /// The deepest nesting of arrays and objects. Default: 512, the limit of Foundation's reader, so that no file
    /// which the vendor's client accepts is refused here.
    public var depth = 512
    /// The largest text in bytes. Default: 256 MiB, a hundred times the largest datafile we have seen.
    public var size = 256 << 20

    /// The limits that Turnout applies unless told otherwise.
    public static let standard = JSONLimits()

    /// Creates the standard limits; change what you need.
    public init() {}
}
