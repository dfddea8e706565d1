import TurnoutEngine
import TurnoutFlags
import TurnoutReports

/// A change of a flag in an environment, as a form asks for it.
struct ChangeForm: Sendable {
    enum Kind: String, Sendable {
        case off, on, traffic, status, stop
        case allowList = "allow-list"
        case rollOut = "roll-out"
    }

    /// The most users to add and to remove at a time.
    private static let maximumUsers = 1_000

    let kind: Kind
    let flag: AuthoredFlag
    let environment: String
    /// What was typed.
    let fields: QueryParameters

    /// Reads what was sent.
    init?(_ fields: QueryParameters, of flag: AuthoredFlag, in environment: String) {
        guard let kind = Kind(rawValue: fields["change"] ?? "") else { return nil }
        (self.kind, self.flag, self.environment, self.fields) = (kind, flag, environment, fields)
    }

    private var rule: String { fields["rule"] ?? "" }
    private var rules: AuthoredRules { flag.rules(in: environment) }

    /// Whether the environment has the rule from the flag, for all environments without rules of their own.
    private var isShared: Bool { rules.place(of: rule) == flag.rules.place(of: rule) }

    /// The edits of the project file that make the change, each as `turnout set` would.
    ///
    /// - Throws: What is missing in the form, or in the file.
    func edits() throws(FlagsFileProblem) -> [FlagsFileEdit] {
        switch kind {
        case .on, .off:
            return [.set(path: path(["in", environment, "enabled"]), value: kind == .on ? "true" : "false")]
        case .traffic:
            let typed = try text("value", or: "Write a share, such as 25%.")
            let number = typed.hasSuffix("%") ? String(typed.dropLast()).trimmingBlanks : typed
            guard let share = Double(number), 0...100 ~= share else {
                throw FlagsFileProblem("\(typed) is no share: write a percentage from 0% to 100%, such as 12.5%.")
            }
            return [.set(path: try rulePath("traffic"), value: number + "%")]
        case .status:
            return [.set(path: try rulePath("status"), value: try text("value", or: "Choose a status."))]
        case .stop: return [.set(path: try rulePath("status"), value: "archived")]
        case .allowList: return try listEdits()
        case .rollOut: return try rolloutEdits()
        }
    }

    /// A user is on the list of one variation: adding one moves it, and removing one takes it from where it is.
    private func listEdits() throws(FlagsFileProblem) -> [FlagsFileEdit] {
        let lists = rules.experiments.first { $0.key == rule }?.allowList ?? []
        func path(of variation: String) throws(FlagsFileProblem) -> String { try rulePath("allow_list", variation) }
        let (added, removed) = (try users("add"), try users("remove"))
        guard 1...Self.maximumUsers ~= removed.count + added.count else {
            throw FlagsFileProblem("Name from 1 to \(Self.maximumUsers) users, one in each line.")
        }
        let variation = added.isEmpty ? "" : try text("variation", or: "Choose a variation.")
        var edits: [FlagsFileEdit] = []
        for user in removed + added {
            let list = lists.first {
                $0.userIDs.contains(user) && ($0.variation != variation || removed.contains(user))
            }
            if let list {
                edits.append(.remove(path: try path(of: list.variation), element: Self.yaml(user)))
            } else if removed.contains(user) {
                throw FlagsFileProblem("\(user.truncated(to: 40)) is on no list of \(rule).")
            }
        }
        for user in added { edits.append(.add(path: try path(of: variation), element: Self.yaml(user))) }
        return edits
    }

    private static func yaml(_ id: String) -> String { Node.name(id).flowYAML(inFlow: false) }

    /// The experiment ends, and all users of its audience get the variation, before other deliveries.
    private func rolloutEdits() throws(FlagsFileProblem) -> [FlagsFileEdit] {
        let variation = try text("variation", or: "Choose the variation that everyone gets.")
        let status = FlagsFileEdit.set(path: try rulePath("status"), value: "launched")
        let audience = rules.experiments.first { $0.key == rule }?.audience
        if let own = rules.place(of: rule),
            let earlier = rules.deliveries.first(where: {
                $0.isEnabled && $0.origin.range.map { $0.lowerBound < own.lowerBound } ?? false
            })
        {
            throw FlagsFileProblem(
                "The delivery \(earlier.key) stands before \(rule), and its users would not get \(variation): move it "
                    + "below in the file, or turn it off.")
        }
        let members: [(String, Node?)] = [
            ("delivery", .name(rule + "_winner")), ("serve", .name(variation)),
            ("audience", audience.map(ProjectWriter.condition)),
        ]
        let delivery = Node(.mapping(members.compactMap { key, value in value.map { .init(.init(key), $0) } }))
        return [
            status, .add(path: path(place + ["rules"]), element: delivery.flowYAML(inFlow: false), after: rule),
        ]
    }

    /// The text of a field without blanks around it.
    private func text(_ name: String, or advice: String) throws(FlagsFileProblem) -> String {
        let text = (fields[name] ?? "").trimmingBlanks
        guard !text.isEmpty else { throw FlagsFileProblem(advice) }
        return text
    }

    /// The lines of a field.
    private func users(_ name: String) throws(FlagsFileProblem) -> [String] {
        try (fields[name] ?? "").split { ["\n", "\r", "\r\n"].contains($0) }.map { String($0).trimmingBlanks }
            .filter { !$0.isEmpty }.map { (id) throws(FlagsFileProblem) in
                guard id.utf8.count <= 1_024, !id.unicodeScalars.contains(where: \.isControl) else {
                    throw FlagsFileProblem(
                        "\(id.truncated(to: 40)) is no id of a user: it has a control character, or over 1,024 bytes.")
                }
                return id
            }
    }

    // MARK: Places

    private var place: [String] { isShared ? [] : ["in", environment] }

    private func path(_ keys: [String]) -> String {
        "\(EditPath((["flags", flag.key] + keys).map { .key($0) }))"
    }

    private func rulePath(_ keys: String...) throws(FlagsFileProblem) -> String {
        guard rules.place(of: rule) != nil else {
            throw FlagsFileProblem("\(flag.key) has no rule \(rule) in \(environment) any more.")
        }
        return path(place + ["rules", rule] + keys)
    }
}

extension AuthoredRules {
    /// Where a rule is written; nil without a rule of this key.
    fileprivate func place(of rule: String) -> Range<Int>? {
        experiments.first { $0.key == rule }?.origin.range ?? deliveries.first { $0.key == rule }?.origin.range
    }
}
