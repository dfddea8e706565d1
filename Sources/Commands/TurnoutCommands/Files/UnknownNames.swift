import TurnoutCommandIO
import TurnoutEngine
import TurnoutFlags
import TurnoutReports

/// The attributes and segments of users that no datafile knows: probably misspelt, so that conditions see no value.
struct UnknownNames: Sendable {
    /// The maximum number of known names in a warning.
    private static let listedLimit = 20

    private let datafile: (has: String, of: String)
    private let knownAttributes: Set<String>
    private let knownSegments: Set<String>
    private var attributes = UnknownAttributes()
    private var segments = UnknownAttributes()

    init(in projects: [Project]) {
        datafile = projects.count == 1 ? ("the datafile has", "the datafile") : ("the datafiles have", "the datafiles")
        let names: Set<String> = projects.reduce(into: []) { $0.formUnion($1.attributeNames) }
        // Only the condition that no user meets names it.
        knownAttributes = names.subtracting(["$opt_dummy_attribute"])
        knownSegments = projects.reduce(into: []) { $0.formUnion($1.qualifiedSegments) }
    }

    mutating func add(_ user: User) {
        for name in user.attributes.names(notIn: knownAttributes) { attributes.add(name) }
        for name in user.segments where !knownSegments.contains(name) { segments.add(name) }
    }

    /// Warns of the names of one user.
    static func warn(of user: User, in projects: Project...) {
        var names = UnknownNames(in: projects)
        names.add(user)
        names.warn(ofMany: false)
    }

    /// Adds the names of other users.
    mutating func add(_ other: UnknownNames) {
        attributes.add(other.attributes)
        segments.add(other.segments)
    }

    /// Warns of each name; of those of many users with their number.
    func warn(ofMany: Bool = true) {
        Self.warn(of: attributes, "\(datafile.has) no attribute", knownAttributes, ofMany)
        Self.warn(of: segments, "no audience of \(datafile.of) names the segment", knownSegments, ofMany)
    }

    private static func warn(
        of unknown: UnknownAttributes, _ problem: String, _ known: Set<String>, _ ofMany: Bool
    ) {
        for (name, count) in unknown.counts.sorted(by: { ($1.value, $0.key) < ($0.value, $1.key) }) {
            let users = ofMany ? ", which \(count.grouped("user")) \(count == 1 ? "has" : "have")" : ""
            warn("\(problem) \"\(name)\"\(users)", name, known.sorted())
        }
        guard unknown.others > 0 else { return }
        let times = unknown.others.grouped("time")
        StandardStream.error.put("turnout: warning: the same is true of further names, which occur \(times)\n")
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
