/// Which datafiles are accepted.
public struct DatafileFormat: Sendable, Equatable {
    /// The values of `version` that are accepted.
    public var versions: Set<String>
    /// Whether `featureFlags`, `rollouts` and `anonymizeIP` may be missing, as in versions 2 and 3. Missing lists are
    /// empty; a missing `anonymizeIP` is true.
    public var allowsMissingFlags: Bool
    /// Whether a number is accepted in place of a string, as versions 2 and 3 wrote them.
    public var readsNumbersAsText: Bool

    /// Version 4 with all its required members, as the current clients accept it.
    public static let current = DatafileFormat(versions: ["4"], allowsMissingFlags: false, readsNumbersAsText: false)

    /// Versions 2 to 4, as the older Objective-C client accepted them.
    public static let legacy = DatafileFormat(
        versions: ["2", "3", "4"], allowsMissingFlags: true, readsNumbersAsText: true)
}
