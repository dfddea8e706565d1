import TurnoutCommandIO
import TurnoutEngine

/// A report of a datafile, as text and bars.
struct ProjectReport {
    private let project: Project
    private let width: Int?
    private let hasColor: Bool
    private(set) var text = ""
    /// The flags under which rollouts and experiments were shown, by id: shared rules are shown once, even if thousands
    /// of flags share them.
    private var flagsByRollout: [String: String] = [:]
    private var flagsByExperiment: [String: String] = [:]

    /// Starts a report. Lines are wrapped at the width; nil keeps them as they are.
    init(_ project: Project, width: Int?, hasColor: Bool) {
        self.project = project
        self.width = width
        self.hasColor = hasColor
    }

    mutating func write(flagKeys: [String]) {
        writeIdentity()
        let wanted = Set(flagKeys)
        for flag in project.flags where wanted.isEmpty || wanted.contains(flag.key) { write(flag) }
        guard flagKeys.isEmpty else { return }
        let attached = Set(project.flags.flatMap(\.experiments).map(\.id))
        write("Stand-alone experiments", project.experiments.filter { !attached.contains($0.id) })
        writeGroups()
        write("Global holdouts", project.globalHoldouts)
        write("Local holdouts", project.localHoldouts)
        writeAudiences()
        writeWarnings()
    }

    // MARK: Parts

    private mutating func writeIdentity() {
        line("Project \(project.projectID), revision \(project.revision)", .bold)
        var facts = ["account \(project.accountID)", "version \(project.version)", "region \(project.region.rawValue)"]
        if let key = project.environmentKey { facts.append("environment \(key)") }
        facts += [
            project.flags.count.grouped("flag"), project.experiments.count.grouped("experiment"),
            project.audiences.count.grouped("audience"),
        ]
        line(facts.joined(separator: ", "), .dim)
    }

    private mutating func write(_ flag: Flag) {
        line("")
        line("Flag \(flag.key)", .bold)
        for variable in flag.variables {
            line("  variable \(variable.key): \(variable.typeName), \(variable.defaultValue.debugDescription)")
        }
        let experiments = flag.experiments
        for rule in experiments {
            let title = (rule.type == .featureRollout ? "feature rollout " : "experiment ") + rule.key
            if let other = flagsByExperiment[rule.id] {
                line("  \(title), shared with flag \(other): see there", .dim)
            } else {
                flagsByExperiment[rule.id] = flag.key
                write(rule, title: title)
            }
        }
        writeRolloutRules(of: flag, hasExperiments: !experiments.isEmpty)
    }

    private mutating func writeRolloutRules(of flag: Flag, hasExperiments: Bool) {
        let rollout = flag.rolloutID.trimmingBlanks
        if let other = flagsByRollout[rollout] {
            return line("  rules of rollout \(rollout), shared with flag \(other): see there", .dim)
        }
        let rules = flag.rolloutRules
        if !rules.isEmpty { flagsByRollout[rollout] = flag.key }
        for (index, rule) in rules.enumerated() {
            let isLast = index == rules.count - 1
            write(rule, title: isLast ? "everyone else \(rule.key)" : "rollout \(rule.key)")
        }
        if !hasExperiments, rules.isEmpty { line("  no rules: always off", .dim) }
    }

    private mutating func write(_ title: String, _ rules: [Rule]) {
        guard !rules.isEmpty else { return }
        line("")
        line(title, .bold)
        for rule in rules { write(rule, title: rule.key) }
    }

    private mutating func write(_ rule: Rule, title: String) {
        let isIdle = rule.kind != .rollout && rule.status != .running
        let group = rule.group.map { $0.isExclusive ? ", in group \($0.id)" : "" } ?? ""
        line("  \(title)\(isIdle ? " (\(rule.status.rawValue))" : "")\(group)", isIdle ? .dim : nil)
        if rule.audience != .everyone { line("    for \(rule.audience.words)") }
        for holdout in rule.localHoldouts { line("    guarded by holdout \(holdout.key)") }
        if let limit = rule.contextualBanditTraffic {
            line(
                "    contextual bandit for \(Self.percent(limit)) of the users; chooses among "
                    + rule.variations.map(\.key).joined(separator: ", "))
        }
        write(rule.traffic)
        for (userID, variation) in rule.whitelist.prefix(5) { line("    always \(variation) for \(userID)") }
        if rule.whitelist.count > 5 { line("    … and \(rule.whitelist.count - 5) more users", .dim) }
    }

    private mutating func write(_ ranges: [TrafficRange]) {
        let names = ranges.map { $0.entityKey ?? ($0.entityID.isEmpty ? "nothing" : "unknown id \($0.entityID)") }
        let width = names.map(\.displayWidth).max() ?? 0
        for (range, name) in zip(ranges, names) {
            let padding = String(repeating: " ", count: width - name.displayWidth)
            line("    \(name)\(padding)  \(Self.bar(range.buckets)) \(Self.percent(range.buckets.count))")
        }
    }

    private mutating func writeGroups() {
        guard !project.groups.isEmpty else { return }
        line("")
        line("Groups", .bold)
        for group in project.groups {
            line("  \(group.id): \(group.isExclusive ? "a user takes part in one at most" : "overlapping")")
            write(group.traffic)
        }
    }

    private mutating func writeAudiences() {
        guard !project.audiences.isEmpty else { return }
        line("")
        line("Audiences", .bold)
        for audience in project.audiences { line("  \"\(audience.name)\": \(audience.condition.words)") }
    }

    private mutating func writeWarnings() {
        let warnings = project.warnings
        line("")
        guard !warnings.isEmpty else { return line("No warnings.", .green) }
        line(warnings.count.grouped("warning"), .yellow)
        for warning in warnings { line("  \(warning)") }
    }

    // MARK: Pieces

    private mutating func line(_ line: String, _ style: TextStyle? = nil) {
        let margin = String(line.prefix { $0 == " " }) + "    "
        text += line.printable.hanging(margin, width: width, style, hasColor: hasColor) + "\n"
    }

    /// A share of the buckets as `12.5 %`.
    private static func percent(_ buckets: Int) -> String {
        let fraction = buckets % 100
        let digits =
            fraction == 0
            ? "" : fraction % 10 == 0 ? ".\(fraction / 10)" : fraction < 10 ? ".0\(fraction)" : ".\(fraction)"
        return "\(buckets / 100)\(digits) %"
    }

    /// The position of a range among all buckets, in steps of 2.5 %.
    private static func bar(_ buckets: Range<Int>) -> String {
        let cells = 40
        let size = Bucketing.bucketCount / cells
        return String((0..<cells).map { buckets.overlaps($0 * size..<($0 + 1) * size) ? "█" : "·" })
    }
}

extension ProjectReport {
    /// The members that `turnout inspect --help` explains.
    static func members(of project: Project, flagKeys: [String]) -> [String: JSONValue] {
        let wanted = Set(flagKeys)
        let flags = project.flags.filter { wanted.isEmpty || wanted.contains($0.key) }
        var members: [String: JSONValue] = [
            "project": .string(project.projectID), "account": .string(project.accountID),
            "revision": .string(project.revision), "version": .string(project.version),
            "region": .string(project.region.rawValue),
            "environment": project.environmentKey.map(JSONValue.string) ?? .null,
            "flags": .array(flags.map { .object(Self.members(of: $0)) }),
        ]
        guard wanted.isEmpty else { return members }
        let attached = Set(project.flags.flatMap(\.experiments).map(\.id))
        members["experiments"] = rules(project.experiments.filter { !attached.contains($0.id) })
        members["holdouts"] = rules(project.globalHoldouts + project.localHoldouts)
        members["groups"] = .array(
            project.groups.map { group in
                .object([
                    "id": .string(group.id), "isExclusive": .bool(group.isExclusive),
                    "experiments": .strings(group.experiments.map(\.key)),
                ])
            })
        members["audiences"] = .array(
            project.audiences.map { audience in
                .object([
                    "id": .string(audience.id), "name": .string(audience.name),
                    "condition": .string(audience.condition.words),
                ])
            })
        members["warnings"] = .strings(project.warnings.map(\.description))
        return members
    }

    private static func members(of flag: Flag) -> [String: JSONValue] {
        let variables = flag.variables.map { variable in
            JSONValue.object([
                "key": .string(variable.key), "type": .string(variable.typeName),
                "default": .string(variable.defaultValue),
            ])
        }
        return [
            "key": .string(flag.key), "id": .string(flag.id), "variables": .array(variables),
            "rules": rules(flag.experiments + flag.rolloutRules),
        ]
    }

    private static func rules(_ rules: [Rule]) -> JSONValue {
        .array(
            rules.map { rule in
                let traffic = rule.traffic.map { range in
                    JSONValue.object([
                        "variation": range.entityKey.map(JSONValue.string) ?? .null,
                        "start": .integer(Int64(range.buckets.lowerBound)),
                        "end": .integer(Int64(range.buckets.upperBound)),
                    ])
                }
                return .object([
                    "key": .string(rule.key), "id": .string(rule.id), "kind": .string("\(rule.kind)"),
                    "status": .string(rule.status.rawValue),
                    "audience": rule.audience == .everyone ? .null : .string(rule.audience.words),
                    "traffic": .array(traffic), "holdouts": .strings(rule.localHoldouts.map(\.key)),
                ])
            })
    }
}
