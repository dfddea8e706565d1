/// The size of a condition tree.
struct AudienceExtent: Sendable {
    /// The deepest nesting of conditions across all audiences. Fits the smallest usual thread stacks.
    static let maximumLevels = 1_000
    /// The number of conditions, including repetitions, above which caching results pays off.
    static let maximumRows = 200_000

    /// The depth of the tree.
    var levels = 1
    /// The largest number of conditions to evaluate.
    var rows = 1

    /// Whether evaluation needs a limited budget.
    var isTooLarge: Bool { levels > Self.maximumLevels || rows > Self.maximumRows }
}
