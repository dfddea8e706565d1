/// Variations for all users that override the rules, for trying things out on a test device or server.
///
/// ```sh
/// TURNOUT_FORCE="checkout=one_page,search_ranking/ranking_test=by_sales" ./shop
/// ./shop --turnout-force checkout=one_page
/// ```
///
/// `flag=variation` forces a flag, `flag/rule=variation` one of its rules. Keys that are not in the datafile are
/// ignored; with `includeReasons`, the reasons report them.
public struct DecisionOverrides: Sendable, Equatable {
    /// The variation keys.
    public var decisions: ForcedDecisions
    /// Descriptions of the entries that could not be parsed.
    public private(set) var problems: [String] = []

    /// Creates overrides. Default: none.
    public init(_ decisions: ForcedDecisions = [:]) { self.decisions = decisions }

    /// Parses overrides such as `checkout=one_page,search/rule_1=by_sales`. If several are for the same flag or rule,
    /// the last counts.
    public init(parsing text: String) {
        self.init()
        add(text)
    }

    /// No overrides.
    public static let none = DecisionOverrides()

    /// The name of the environment variable.
    public static let environmentVariable = "TURNOUT_FORCE"
    /// The launch argument, which the overrides follow. May be given several times.
    public static let launchArgument = "--turnout-force"

    /// Overrides from the environment and the launch arguments; launch arguments take precedence.
    ///
    /// The user of the program can set these, so do not use them in release builds.
    public static func fromProcess() -> DecisionOverrides {
        DecisionOverrides(
            environment: Environment.value(environmentVariable), arguments: Array(CommandLine.arguments.dropFirst()))
    }

    /// Overrides from the value of the environment variable and from launch arguments.
    public init(environment: String?, arguments: [String]) {
        self.init()
        if let environment { add(environment) }
        for (index, argument) in arguments.enumerated() {
            if argument == Self.launchArgument {
                if index + 1 < arguments.count {
                    add(arguments[index + 1])
                } else {
                    problems.append("\(argument) needs FLAG=VARIATION")
                }
            } else if argument.hasPrefix(Self.launchArgument + "=") {
                add(String(argument.dropFirst(Self.launchArgument.count + 1)))
            }
        }
    }

    private mutating func add(_ text: String) {
        for entry in text.split(separator: ",") {
            let sides = entry.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(\.trimmed)
            let keys = sides[0].split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false).map(\.trimmed)
            guard sides.count == 2, !sides[1].isEmpty, keys.allSatisfy({ !$0.isEmpty }) else {
                problems.append("\"\(entry)\" is not FLAG=VARIATION or FLAG/RULE=VARIATION")
                continue
            }
            decisions[DecisionContext(flag: keys[0], rule: keys.count == 2 ? keys[1] : nil)] = sides[1]
        }
    }
}

extension DecisionOverrides {
    /// Logs the active overrides, and those with keys that are not in a datafile.
    func report(to log: any Log, for project: Project) {
        for (context, variation) in decisions {
            let name = context.flag + (context.rule.map { "/\($0)" } ?? "") + "=" + variation
            if let problem = Self.problem(context, variation, project) {
                log(.warning, "override \(name) does nothing: \(problem)")
            } else {
                log(.info, "override \(name) is active for all users")
            }
        }
    }

    private static func problem(_ context: DecisionContext, _ variation: String, _ project: Project) -> String? {
        guard let flag = project.flag(context.flag) else { return "the datafile has no such flag" }
        let rules = flag.experiments + flag.rolloutRules
        if let rule = context.rule, !rules.contains(where: { $0.key == rule }) { return "the flag has no such rule" }
        let isKnown = rules.contains { $0.variations.contains { $0.key == variation } }
        return isKnown ? nil : "the flag has no such variation"
    }
}

extension Substring {
    fileprivate var trimmed: String {
        guard let first = firstIndex(where: { !$0.isWhitespace }), let last = lastIndex(where: { !$0.isWhitespace })
        else { return "" }
        return String(self[first...last])
    }
}
