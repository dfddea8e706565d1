import TurnoutEngine
import TurnoutFlags

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

    /// The environments that the change is about: several if they share the rule.
    func environments(of project: AuthoredProject) -> [String] {
        guard kind != .on, kind != .off, isShared else { return [environment] }
        let others = project.environments.map(\.key).filter { other in
            other != environment && flag.rules(in: other).place(of: rule) == rules.place(of: rule)
        }
        return [environment] + others
    }

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

    private func listEdits() throws(FlagsFileProblem) -> [FlagsFileEdit] {
        let path = try rulePath("allow_list", try text("variation", or: "Choose a variation."))
        let removed = users("remove").map { FlagsFileEdit.remove(path: path, element: $0) }
        let added = users("add").map { FlagsFileEdit.add(path: path, element: $0) }
        guard 1...Self.maximumUsers ~= removed.count + added.count else {
            throw FlagsFileProblem("Name from 1 to \(Self.maximumUsers) users, one in each line.")
        }
        return removed + added
    }

    /// The experiment ends, and all users of its audience get the variation, after the deliveries that come before.
    private func rolloutEdits() throws(FlagsFileProblem) -> [FlagsFileEdit] {
        let variation = try text("variation", or: "Choose the variation that everyone gets.")
        let status = FlagsFileEdit.set(path: try rulePath("status"), value: "launched")
        let audience = rules.experiments.first { $0.key == rule }?.audience
        let members: [(String, Node?)] = [
            ("delivery", .name(rule + "_winner")), ("serve", .name(variation)),
            ("audience", audience.map(ProjectWriter.condition)),
        ]
        let delivery = Node(.mapping(members.compactMap { key, value in value.map { .init(.init(key), $0) } }))
        return [status, .add(path: path(place + ["rules"]), element: delivery.flowYAML(inFlow: false))]
    }

    /// The text of a field without blanks around it.
    private func text(_ name: String, or advice: String) throws(FlagsFileProblem) -> String {
        let text = (fields[name] ?? "").trimmingBlanks
        guard !text.isEmpty else { throw FlagsFileProblem(advice) }
        return text
    }

    /// The lines of a field, each as the text of an element.
    private func users(_ name: String) -> [String] {
        (fields[name] ?? "").split(whereSeparator: \.isNewline).map { String($0).trimmingBlanks }
            .filter { !$0.isEmpty }.map { Node.name($0).flowYAML(inFlow: false) }
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
