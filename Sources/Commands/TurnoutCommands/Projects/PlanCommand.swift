import TurnoutCommandIO
import TurnoutEngine
import TurnoutReports
import TurnoutStatistics

/// `turnout plan`: the visitors that an experiment needs, and for how many days.
enum PlanCommand: Command {
    static let syntax = CommandSyntax(
        name: "plan", summary: "Computes how many visitors an experiment needs to show an effect.",
        discussion: """
            A rate needs --base-rate; a mean, such as the revenue of a visitor, --mean and --sd. An effect has a sign \
            and says what it is a part of: +5% turns a rate of 20% into 21%, and +5pp into 25%. Of a mean, +0.5 is \
            in its unit.

            All variations have the same share of the visitors, and each is compared with the first. As in the \
            results, the comparisons share alpha: each has an equal part of it. With one look at the end, each \
            variation needs (z(1 - alpha/2) + z(power))² × the sum of both variances / effect². The test of \
            Turnout's results can be looked at every day, and needs 1.7 times as many visitors: in simulations with \
            100 looks, that gave at least the power. An effect is then found after 1.1 times as many on average. \
            Results need 100 visitors of each variation.

            The size is fixed before the first look: paste the last line into the rule, and `turnout lint` says if it \
            takes too long.
            """,
        options: [
            .value("--base-rate", "RATE", "The share of visitors who convert without the change, such as 20%."),
            .value("--mean", "NUMBER", "The mean of a visitor without the change, instead of a rate."),
            .value("--sd", "NUMBER", "The standard deviation of the visitors' values."),
            .value("--effect", "EFFECT", "The smallest effect to find: +5%, -1pp.").required(),
            .value("--power", "SHARE", "How often such an effect is found, from 80% to 99%.").byDefault("80%"),
            .value("--alpha", "SHARE", "How often one is found that does not exist, from 0.1% to 5%.").byDefault("5%"),
            .value("--arms", "N", "The number of variations.").byDefault("2"),
            .value("--per-day", "N", "The new visitors of the experiment on a day."),
            CommandResult.option,
        ],
        examples: [
            "turnout plan --base-rate 20% --effect +5% --per-day 3000": "From 20% to 21%.",
            "turnout plan --mean 12.40 --sd 31 --effect +0.5": "Half a unit more revenue of each visitor.",
        ],
        json: [
            "before, after": "The rate, as a fraction, or the mean, without and with the effect.",
            "power, alpha, arms": "As the command line says, shares as fractions.",
            "fixed": "With one look at the end: perArm, visitors and days (missing without --per-day).",
            "sequential": "With looks at any time: perArm, visitors and days.",
            "plan": "The member of the rule in the project file.",
        ])

    static func run(_ arguments: ParsedArguments) throws -> Int32 {
        let plan = try SampleSizePlan(arguments)
        try CommandResult(arguments).print(plan.report.text(for: Terminal(.output)), plan.members, "the plan")
        return 0
    }
}

/// The visitors that an experiment needs to show an effect.
private struct SampleSizePlan {
    private let isRate: Bool
    private let before: Double
    private let difference: Double
    private let alpha: Double
    private let sampleSize: SampleSize
    private let arms: Int
    private let perDay: Int?
    private let fixed: Int
    private let sequential: Int

    init(_ arguments: ParsedArguments) throws {
        try arguments.exclude("--base-rate", "--mean", "--sd")
        arms = try arguments.integer("--arms", in: 2...100) ?? 2
        perDay = try arguments.integer("--per-day", in: 1...1_000_000_000)
        alpha = try Self.share("--alpha", in: 0.001...0.05, arguments)
        // With these, the factor of the sequential test is enough.
        sampleSize = SampleSize(
            alpha: alpha / Double(arms - 1), power: try Self.share("--power", in: 0.8...0.99, arguments))
        isRate = arguments.has("--base-rate")
        let size: Double?
        if isRate {
            before = try Self.share("--base-rate", in: 0...1, arguments)
            difference = try Self.difference(arguments, from: before, isRate: true)
            guard 0...1 ~= before + difference else {
                throw Self.invalid("--effect", arguments, "one that leaves a rate from 0% to 100%")
            }
            size = sampleSize.perArm(rate: before, difference: difference)
        } else {
            guard arguments.has("--mean") else {
                throw UsageError.missing(anyOf: ["--base-rate RATE", "--mean NUMBER"])
            }
            guard arguments.has("--sd") else { throw UsageError.missing(anyOf: ["--sd NUMBER"]) }
            before = try Self.number("--mean", arguments)
            difference = try Self.difference(arguments, from: before, isRate: false)
            let deviation = try Self.number("--sd", arguments)
            guard deviation > 0 else { throw Self.invalid("--sd", arguments, "a number above 0") }
            size = sampleSize.ofControl(deviation: deviation, difference: difference)
        }
        guard let size, size < 1e12 else {
            throw CommandError("no experiment has enough visitors for this effect", advice: "Look for a larger one.")
        }
        fixed = Int(size.rounded(.up))
        sequential = max(MetricHistory.minimumVisitors, Int((size * SampleSize.alwaysValidFactor).rounded(.up)))
    }

    // MARK: Arguments

    private static func share(
        _ option: String, in range: ClosedRange<Double>, _ arguments: ParsedArguments
    ) throws -> Double {
        let text = arguments[option]
        if text.hasSuffix("%"), let percent = number(text.dropLast()), range.contains(percent / 100) {
            return percent / 100
        }
        let limits = "\(percent(range.lowerBound)) to \(percent(range.upperBound))"
        throw invalid(option, arguments, "a percentage from \(limits)")
    }

    private static func number(_ option: String, _ arguments: ParsedArguments) throws -> Double {
        guard let number = number(arguments[option][...]) else { throw invalid(option, arguments, "a number") }
        return number
    }

    private static func difference(
        _ arguments: ParsedArguments, from before: Double, isRate: Bool
    ) throws -> Double {
        let text = arguments["--effect"]
        let difference =
            if text.hasSuffix("%") {
                number(text.dropLast()).map { $0 / 100 * before }
            } else if isRate {
                text.hasSuffix("pp") ? number(text.dropLast(2)).map { $0 / 100 } : nil
            } else {
                number(text[...])
            }
        if text.hasPrefix("+") || text.hasPrefix("-"), let difference, difference != 0 { return difference }
        let absolute = isRate ? "+1pp (percentage points)" : "+0.5 (in the unit of the mean)"
        throw invalid("--effect", arguments, "+5% (of the \(isRate ? "rate" : "mean")) or \(absolute)")
    }

    private static func number(_ text: Substring) -> Double? { Double(text).flatMap { $0.isFinite ? $0 : nil } }

    private static func invalid(_ option: String, _ arguments: ParsedArguments, _ expected: String) -> UsageError {
        .invalidValue(option: option, value: arguments[option], expected: expected, nearest: nil)
    }

    // MARK: Result

    private var plan: String {
        "plan: {visitors: \(sequential * arms)\(perDay.map { ", per_day: \($0)" } ?? "")}"
    }

    private func days(_ perArm: Int) -> Int? { perDay.map { (perArm * arms - 1) / $0 + 1 } }

    var members: [String: JSONValue] {
        let sizes = [fixed, sequential].map { perArm -> JSONValue in
            var members = ["perArm": perArm, "visitors": perArm * arms]
            members["days"] = days(perArm)
            return .object(members.mapValues { .integer(Int64($0)) })
        }
        return [
            "before": .double(before), "after": .double(before + difference), "power": .double(sampleSize.power),
            "alpha": .double(alpha), "arms": .integer(Int64(arms)), "fixed": sizes[0],
            "sequential": sizes[1],
            "plan": .string(plan),
        ]
    }

    var report: Report {
        let value = isRate ? Self.percent : Self.text
        let change = { (number: Double, unit: String) in (number < 0 ? "" : "+") + Self.text(number) + unit }
        let relative = before == 0 ? [] : [change(difference / before * 100, "% relative")]
        let absolute = isRate ? change(difference * 100, "pp absolute") : change(difference, " absolute")
        let effect = "\(isRate ? "A rate" : "A mean") of \(value(before)) becomes \(value(before + difference))"
        let columns = ["Each variation", "Visitors"] + (perDay == nil ? [] : ["Days"])
        let rows = [("One look at the end", fixed), ("Looks at any time", sequential)].map { name, perArm in
            [Report.Text(name)]
                + [perArm, perArm * arms, days(perArm)].compactMap { $0.map { Report.Text($0.grouped) } }
        }
        let table = ReportTable([.init("")] + columns.map { .init($0, .right) }, rows: rows)
        var report = Report([
            .sentence("\(effect): \((relative + [absolute]).joined(separator: ", "))."),
            .sentence(
                "\(arms) variations, power \(Self.percent(sampleSize.power)), alpha \(Self.percent(alpha)).", .dim),
        ])
        let use: [Report.Block] = [
            .sentence("For the rule in the project file, before the first look:"), .sentence(plan, .cyan, depth: 1),
        ]
        report.sections += [Report.Section(nil, [.table(table)]), Report.Section(nil, use)]
        return report
    }

    private static func percent(_ share: Double) -> String { text(share * 100) + "%" }

    /// The number with up to four decimals: `21`, `0.125`.
    private static func text(_ number: Double) -> String {
        let text = "\((number * 10_000).rounded() / 10_000)"
        return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }
}
