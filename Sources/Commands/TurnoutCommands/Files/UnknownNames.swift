import TurnoutCommandIO
import TurnoutEngine
import TurnoutFlags

/// Warnings of names that a datafile does not know, which are probably misspelt.
enum UnknownNames {
    /// The maximum number of known names in a warning.
    private static let listedLimit = 20

    /// Warns of attributes and segments of a user that the datafile does not know, and that thus have no effect.
    static func warn(of user: User, in project: Project) {
        var unknown = UnknownAttributes()
        let known = project.attributeNames
        for name in user.attributes.names(notIn: known) { unknown.add(name) }
        warn(of: unknown, knowing: known)
        let segments = project.qualifiedSegments
        for name in user.segments.subtracting(segments).sorted() {
            warn("no audience of the datafile names the segment \"\(name)\"", name, segments)
        }
    }

    /// Warns of attributes of many users, each with its number of users.
    static func warn(of unknown: UnknownAttributes, knowing known: Set<String>, ofMany: Bool = false) {
        for (name, count) in unknown.counts.sorted(by: { ($1.value, $0.key) < ($0.value, $1.key) }) {
            let users = ofMany ? ", which \(count.grouped("user")) \(count == 1 ? "has" : "have")" : ""
            warn("the datafile has no attribute \"\(name)\"\(users)", name, known.sorted())
        }
        guard unknown.others > 0 else { return }
        let values = unknown.others.grouped("other value")
        StandardStream.error.put("turnout: warning: the datafile does not know the attributes of \(values)\n")
    }

    /// Warns of a name, with the known ones.
    static func warn(_ problem: String, _ name: String, _ known: [String]) {
        let listed = known.prefix(listedLimit).joined(separator: ", ")
        let more = known.count > listedLimit ? ", and \(known.count - listedLimit) more" : ""
        let names = known.isEmpty ? "there are none" : "known are \(listed)\(more)"
        let warning = CommandError(
            "warning: \(problem); \(names)", advice: Spelling.suggestion(for: name, among: known))
        StandardStream.error.put(warning.report)
    }
}
