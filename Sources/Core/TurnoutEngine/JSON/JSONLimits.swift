/// The maximum size and depth of a JSON text.
///
/// Both limits guard against hostile input: the depth bounds the stack, the size bounds memory.
public struct JSONLimits: Sendable, Equatable {
    /// The deepest nesting of arrays and objects. Default: 512, the limit of Foundation's reader, so every file that
    /// the vendor's client accepts is accepted here.
    public var depth = 512
    /// The largest text in bytes. Default: 256 MiB, a hundred times the largest datafile of the
    /// benchmarks.
    public var size = 256 << 20

    /// The default limits.
    public static let standard = JSONLimits()

    /// Creates the standard limits.
    public init() {}
}
