/// The kinds of problems in the text of a lock. All of them are errors; the compiler reports more, which concern the
/// project as well.
package enum LockProblem: String, Sendable, CaseIterable {
    case line = "lock-line"
    case cut = "lock-cut"
    case twoIDs = "lock-two-ids"

    /// The meaning of the code, in one sentence without a period.
    package var meaning: String {
        switch self {
        case .line: "The line is not an entry of a lock"
        case .cut: #"The last line, `["turnout.lock","end"]`, is missing; the file may be truncated"#
        case .twoIDs: "A key has two ids"
        }
    }
}
