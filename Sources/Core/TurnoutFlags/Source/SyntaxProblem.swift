/// The kinds of problems in the text of a project file, because of which it is not read further. All of them are
/// errors.
package enum SyntaxProblem: String, Sendable, CaseIterable {
    case syntax
    case conflictMarkers = "conflict-markers"
    case unsupportedYAML = "unsupported-yaml"
    case unknownAlias = "unknown-alias"
    case recursiveAlias = "recursive-alias"
    case encoding
    case limit
    case empty
    case unreadableFile = "unreadable-file"

    /// The meaning of the code, in one sentence without a period.
    package var meaning: String {
        switch self {
        case .syntax: "The text is not YAML or JSON"
        case .conflictMarkers: "Git marked a conflict in the file, which is not resolved"
        case .unsupportedYAML: "The text uses tags, merge keys, directives or several documents"
        case .unknownAlias: "No anchor comes before the alias"
        case .recursiveAlias: "An alias is inside the value that it names"
        case .encoding: "The text is not in UTF-8"
        case .limit: "The text is too large, nested too deeply, or has too many aliases"
        case .empty: "The file is empty"
        case .unreadableFile: "The file cannot be opened or read"
        }
    }
}
