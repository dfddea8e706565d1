/// Variations that everybody gets, whatever the rules say: for trying things out on a test device or server.
///
/// ```sh
/// TURNOUT_FORCE="checkout=one_page,search_ranking/ranking_test=by_sales" ./shop
/// ./shop --turnout-force checkout=one_page
/// ```
///
/// `flag=variation` forces a flag, `flag/rule=variation` one of its rules. Keys that the datafile does not have are
/// passed over; decisions made with `includeReasons` say so.
public struct DecisionOverrides: Sendable, Equatable {
    /// The variation keys.
    public var decisions: ForcedDecisions
    /// What could not be understood, in words.
    public private(set) var problems: [String] = []

    /// Creates overrides. Default: none.
    public init(_ decisions: ForcedDecisions = [:]) { self.decisions = decisions }

    /// Reads overrides from a text such as `checkout=one_page,search/rule_1=by_sales`. Of two for the same the last
    /// counts.
    public init(parsing text: String) {
        self.init()
        add(text)
    }

    /// No overrides.
    public static let none = DecisionOverrides()

    /// The name of the environment variable.
    public static let environmentVariable = "TURNOUT_FORCE"
    /// The launch argument; what follows it is read. May be given several times.
    public static let launchArgument = "--turnout-force"

    /// Overrides from the environment, then from the launch arguments, which win.
    ///
    /// Anybody who starts the program can set these, so leave them out of what customers get.
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
    /// Says which overrides are active, and which name something that a datafile does not have.
    func report(to log: any Log, for project: Project) {
        for (context, variation) in decisions {
            let name = context.flag + (context.rule.map { "/\($0)" } ?? "") + "=" + variation
            if let problem = Self.problem(context, variation, project) {
                log(.warning, "override \(name) does nothing: \(problem)")
            } else {
                log(.info, "override \(name) is active for everybody")
            }
        }
    }

    private static func problem(_ context: DecisionContext, _ variation: String, _ project: Project) -> String? {
        guard let flag = project.flag(context.flag) else { return "the datafile has no such flag" }
        let rules = flag.experiments + flag.deliveryRules
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
