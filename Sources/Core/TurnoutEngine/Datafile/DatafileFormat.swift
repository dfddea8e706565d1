/// Which datafiles are accepted.
public struct DatafileFormat: Sendable, Equatable {
    /// The values of `version` that are accepted.
    public var versions: Set<String>
    /// Whether `featureFlags`, `rollouts` and `anonymizeIP` may be missing, as in versions 2 and 3, which had none.
    /// Missing lists are empty; a missing `anonymizeIP` is true.
    public var allowsMissingFlags: Bool
    /// Whether a number may stand where a text is expected. Versions 2 and 3 were written that way.
    public var readsNumbersAsText: Bool

    /// Version 4, and everything it requires. What the current clients accept.
    public static let current = DatafileFormat(versions: ["4"], allowsMissingFlags: false, readsNumbersAsText: false)

    /// Versions 2 to 4. What the older Objective-C client accepted.
    public static let legacy = DatafileFormat(
        versions: ["2", "3", "4"], allowsMissingFlags: true, readsNumbersAsText: true)
}
