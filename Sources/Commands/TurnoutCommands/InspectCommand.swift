import TurnoutCommandIO
import TurnoutEngine
import TurnoutReports

/// `turnout inspect`: shows the contents of a datafile.
enum InspectCommand: Command {
    static let syntax = CommandSyntax(
        name: "inspect", summary: "Shows the contents of a datafile, and warnings about it.",
        discussion: """
            Lists flags with their rules, each rule's audience in words and its traffic as a bar, stand-alone \
            experiments, groups, holdouts, audiences, and warnings about probable mistakes.
            """,
        operands: .init("[FILE]", "The datafile, or a project file, in place of --datafile.", count: 0...1),
        options: DatafileArguments.options + [
            .value("--flag", "KEY", "Show only this flag.").short("f").repeatable(), CommandResult.option,
        ],
        examples: [
            "turnout inspect flags.yaml --environment production": "Everything."
        ],
        json: [
            "project, account, revision, version, region": "Of the datafile.",
            "environment": "Its environment; null if it does not say.",
            "flags[]": "key, id, variables and rules, in the order of evaluation.",
            "flags[].variables[]": "key, type and default (its text).",
            "flags[].rules[]":
                "key, id, kind, status, audience (in words; null for everyone), traffic and holdouts (keys).",
            "flags[].rules[].traffic[]": "variation (null for none), and its buckets from start to before end.",
            "experiments[], holdouts[]": "Experiments without a flag, and holdouts, as rules.",
            "groups[]": "id, isExclusive and experiments (keys).",
            "audiences[]": "id, name and condition (in words).",
            "warnings": "A list of sentences.",
        ])

    static func run(_ arguments: ParsedArguments) async throws -> Int32 {
        let project = try await DatafileArguments.project(arguments, operand: arguments.operands.first)
        let flagKeys = arguments.values("--flag")
        try project.checkFlags(flagKeys)
        let report = ProjectReport(project, flagKeys: flagKeys)
        try CommandResult(arguments).print(report.report.text(for: Terminal(.output)), report.members, "the report")
        return 0
    }
}

/// A report of a datafile, as text and bars.
struct ProjectReport {
    private let project: Project
    /// The keys of the flags to show; empty for everything.
    private let flagKeys: [String]
    private(set) var report = Report()
    /// The flags under which rollouts and experiments were shown, by id: shared rules are shown once, even if thousands
    /// of flags share them.
    private var flagsByRollout: [String: String] = [:]
    private var flagsByExperiment: [String: String] = [:]

    init(_ project: Project, flagKeys: [String]) {
        (self.project, self.flagKeys) = (project, flagKeys)
        addIdentity()
        for flag in flags { add(flag) }
        guard flagKeys.isEmpty else { return }
        add("Stand-alone experiments", standAlone)
        addGroups()
        add("Global holdouts", project.globalHoldouts)
        add("Local holdouts", project.localHoldouts)
        if !project.audiences.isEmpty {
            open("Audiences")
            for audience in project.audiences { line("\"\(audience.name)\": \(audience.condition.words)", depth: 1) }
        }
        let warnings = project.warnings
        open(warnings.isEmpty ? "No warnings." : warnings.count.grouped("warning"), warnings.isEmpty ? .green : .yellow)
        for warning in warnings { line("\(warning)", depth: 1) }
    }

    private var flags: [Flag] {
        let wanted = Set(flagKeys)
        return project.flags.filter { wanted.isEmpty || wanted.contains($0.key) }
    }

    private var standAlone: [Rule] {
        let attached = Set(project.flags.flatMap(\.experiments).map(\.id))
        return project.experiments.filter { !attached.contains($0.id) }
    }

    // MARK: Parts

    private mutating func addIdentity() {
        open("Project \(project.projectID), revision \(project.revision)")
        var facts = ["account \(project.accountID)", "version \(project.version)", "region \(project.region.rawValue)"]
        if let key = project.environmentKey { facts.append("environment \(key)") }
        facts += [
            project.flags.count.grouped("flag"), project.experiments.count.grouped("experiment"),
            project.audiences.count.grouped("audience"),
        ]
        line(facts.joined(separator: ", "), .dim)
    }

    private mutating func add(_ flag: Flag) {
        open("Flag \(flag.key)")
        for variable in flag.variables {
            line("variable \(variable.key): \(variable.typeName), \(variable.defaultValue.debugDescription)", depth: 1)
        }
        let experiments = flag.experiments
        for rule in experiments {
            let title = (rule.type == .featureRollout ? "feature rollout " : "experiment ") + rule.key
            if let other = flagsByExperiment[rule.id] {
                line("\(title), shared with flag \(other): see there", .dim, depth: 1)
            } else {
                flagsByExperiment[rule.id] = flag.key
                add(rule, title: title)
            }
        }
        addRolloutRules(of: flag, hasExperiments: !experiments.isEmpty)
    }

    private mutating func addRolloutRules(of flag: Flag, hasExperiments: Bool) {
        let rollout = flag.rolloutID.trimmingBlanks
        if let other = flagsByRollout[rollout] {
            return line("rules of rollout \(rollout), shared with flag \(other): see there", .dim, depth: 1)
        }
        let rules = flag.rolloutRules
        if !rules.isEmpty { flagsByRollout[rollout] = flag.key }
        for (index, rule) in rules.enumerated() {
            let isLast = index == rules.count - 1
            add(
                rule,
                title: !isLast
                    ? "rollout \(rule.key)" : rule.hasGeneratedKey ? "everyone else" : "everyone else \(rule.key)")
        }
        if !hasExperiments, rules.isEmpty { line("no rules: always off", .dim, depth: 1) }
    }

    private mutating func add(_ title: String, _ rules: [Rule]) {
        guard !rules.isEmpty else { return }
        open(title)
        for rule in rules { add(rule, title: rule.key) }
    }

    private mutating func add(_ rule: Rule, title: String) {
        let isIdle = rule.kind != .rollout && rule.status != .running
        let group = rule.group.map { $0.isExclusive ? ", in group \($0.id)" : "" } ?? ""
        line("\(title)\(isIdle ? " (\(rule.status.rawValue))" : "")\(group)", isIdle ? .dim : nil, depth: 1)
        if rule.audience != .everyone { line("for \(rule.audience.words)", depth: 2) }
        for holdout in rule.localHoldouts { line("guarded by holdout \(holdout.key)", depth: 2) }
        if let limit = rule.contextualBanditTraffic {
            line(
                "contextual bandit for \(Self.percent(limit)) of the users; chooses among "
                    + rule.variations.map(\.key).joined(separator: ", "), depth: 2)
        }
        add(rule.traffic)
        for (userID, variation) in rule.whitelist.prefix(5) { line("always \(variation) for \(userID)", depth: 2) }
        if rule.whitelist.count > 5 { line("… and \(rule.whitelist.count - 5) more users", .dim, depth: 2) }
    }

    private mutating func add(_ ranges: [TrafficRange]) {
        let names = ranges.map { $0.entityKey ?? ($0.entityID.isEmpty ? "nothing" : "unknown id \($0.entityID)") }
        let width = names.map(\.displayWidth).max() ?? 0
        for (range, name) in zip(ranges, names) {
            let padding = String(repeating: " ", count: width - name.displayWidth)
            line("\(name)\(padding)  \(Self.bar(range.buckets)) \(Self.percent(range.buckets.count))", depth: 2)
        }
    }

    private mutating func addGroups() {
        guard !project.groups.isEmpty else { return }
        open("Groups")
        for group in project.groups {
            line("\(group.id): \(group.isExclusive ? "a user takes part in one at most" : "overlapping")", depth: 1)
            add(group.traffic)
        }
    }

    // MARK: Pieces

    private mutating func open(_ title: String, _ style: TextStyle = .bold) {
        report.sections.append(Report.Section(title, style))
    }

    private mutating func line(_ line: String, _ style: TextStyle? = nil, depth: Int = 0) {
        report.sections[report.sections.count - 1].blocks.append(.sentence(line, style, depth: depth))
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
    var members: [String: JSONValue] {
        var members: [String: JSONValue] = [
            "project": .string(project.projectID), "account": .string(project.accountID),
            "revision": .string(project.revision), "version": .string(project.version),
            "region": .string(project.region.rawValue),
            "environment": project.environmentKey.map(JSONValue.string) ?? .null,
            "flags": .array(flags.map { .object(Self.members(of: $0)) }),
        ]
        guard flagKeys.isEmpty else { return members }
        members["experiments"] = Self.rules(standAlone)
        members["holdouts"] = Self.rules(project.globalHoldouts + project.localHoldouts)
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

extension AudienceCondition {
    /// The condition in words: `country is "US" and (plan is "gold" or age is at least 18)`.
    var words: String {
        switch self {
        case .everyone: "everyone"
        case .all(let operands): Self.join(operands, "and")
        case .any(let operands): Self.join(operands, "or")
        case .not(let operands): "not " + (operands.first.map(\.groupedWords) ?? "nothing")
        case .audience(_, let name): "\"\(name)\""
        case .attribute(let name, let match, let value): Self.words(name ?? "(no attribute)", match, value ?? "nothing")
        case .never(let reason): "no users (\(reason))"
        }
    }

    private static func join(_ operands: [AudienceCondition], _ word: String) -> String {
        switch operands.count {
        case 0: "no users (an empty \"\(word)\")"
        case 1: operands[0].words
        default: operands.map(\.groupedWords).joined(separator: " \(word) ")
        }
    }

    /// In parentheses if the words would be ambiguous otherwise.
    private var groupedWords: String {
        switch self {
        case .all(let operands) where operands.count > 1, .any(let operands) where operands.count > 1: "(\(words))"
        default: words
        }
    }

    private static func words(_ name: String, _ match: String, _ value: String) -> String {
        switch match {
        case "exact": "\(name) is \(value)"
        case "exists": "\(name) is known"
        case "substring": "\(name) contains \(value)"
        case "gt": "\(name) is above \(value)"
        case "ge": "\(name) is at least \(value)"
        case "lt": "\(name) is below \(value)"
        case "le": "\(name) is at most \(value)"
        case "semver_eq": "\(name) is version \(value)"
        case "semver_gt": "\(name) is a version above \(value)"
        case "semver_ge": "\(name) is version \(value) or above"
        case "semver_lt": "\(name) is a version below \(value)"
        case "semver_le": "\(name) is version \(value) or below"
        case "qualified": "in segment \(value)"
        default: "\(name) \(match) \(value)"
        }
    }
}
