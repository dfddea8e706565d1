import TurnoutCommandIO
import TurnoutEngine
import TurnoutReports

/// Decisions as text, in the requested format.
struct DecisionOutput: Sendable {
    private let format: DecisionFormat
    private var writer = JSONWriter()
    private var table = DecisionTable()
    /// A cache of the text after the user's id, by outcome: few users have distinct outcomes.
    private var endings: [Decision.OutcomeID: String] = [:]

    init(_ format: DecisionFormat) { self.format = format }

    /// Whether no decision was added yet.
    var isEmpty: Bool { writer.count == 0 && table.rows.isEmpty }

    mutating func add(_ decision: Decision, for user: User, because summary: String = "") {
        switch format {
        case .table: table.add(decision, for: user, because: summary)
        case .ndjson(let hasEffects):
            write(decision, for: user, hasEffects: hasEffects)
            writer.append("\n")
        case .json(let hasEffects):
            writer.append(writer.count == 0 ? "\n  " : ",\n  ")
            write(decision, for: user, hasEffects: hasEffects)
        }
    }

    private mutating func write(_ decision: Decision, for user: User, hasEffects: Bool) {
        writer.append("{\"user\":")
        writer.appendQuoted(user.id)
        guard hasEffects || decision.options.contains(.includeReasons) else {
            let id = decision.outcomeID
            if let ending = endings[id] { return writer.append(ending) }
            let ending = Self.ending(of: decision, hasEffects: false)
            // Outcomes without a flag have no identity: they contain the requested key.
            if decision.flag != nil { endings[id] = ending }
            return writer.append(ending)
        }
        writer.append(Self.ending(of: decision, hasEffects: hasEffects))
    }

    /// `,"flag":"checkout","variation":…}`
    private static func ending(of decision: Decision, hasEffects: Bool) -> String {
        let object = JSONWriter.object {
            $0.member("flag", decision.flagKey)
            $0.member("variation", decision.variationKey)
            $0.member("rule", decision.ruleKey)
            $0.member("enabled", decision.isEnabled)
            $0.member("variables") { $0.variables(decision.variables) }
            $0.member("stage", decision.stage.rawValue)
            let reasons = decision.reasons
            if decision.options.contains(.includeReasons) || !reasons.isEmpty {
                $0.member("reasons", reasons.map(\.description))
            }
            if hasEffects { $0.member("effects") { $0.effects(of: decision) } }
        }
        return "," + object.text.dropFirst()
    }

    // MARK: The whole

    /// The text before, between and after the blocks of a stream.
    static func frame(_ format: DecisionFormat) -> (start: String, separator: String, end: String) {
        if case .json = format { ("[", ",", "\n]\n") } else { ("", "", "") }
    }

    /// Writes a block of a stream. Returns false if not all of it was written. Tables are never streamed.
    func put(on stream: StandardStream) -> Bool { writer.withBytes { stream.put($0) } }

    /// Adds the table rows of the next block.
    mutating func append(_ other: DecisionOutput) { table.append(other.table) }

    /// The output of a single block.
    func finished(for terminal: Terminal) -> String {
        guard case .table = format else {
            let frame = Self.frame(format)
            return frame.start + writer.text + frame.end
        }
        return table.text(for: terminal)
    }
}

/// Decisions as a table with reasons.
private struct DecisionTable: Sendable {
    private(set) var rows: [[Report.Text]] = []
    private var lastUser: String?

    mutating func add(_ decision: Decision, for user: User, because summary: String) {
        let isNewUser = user.id != lastUser
        lastUser = user.id
        if isNewUser, !rows.isEmpty { rows.append([]) }
        rows.append([
            .init(isNewUser ? user.id : "", .bold),
            .init(decision.flagKey),
            decision.variationKey.map { .init($0, .cyan) } ?? .init("–", .dim),
            decision.rule.map { .init($0.hasGeneratedKey ? "everyone else" : $0.key) } ?? .init("–", .dim),
            decision.isEnabled ? .init("on", .green) : .init("off", .dim),
            .init(variables(decision)),
            .init(summary, .dim),
        ])
    }

    mutating func append(_ other: DecisionTable) {
        if !rows.isEmpty, !other.rows.isEmpty { rows.append([]) }
        rows += other.rows
    }

    private func variables(_ decision: Decision) -> String {
        decision.variables.all.map { key, value in "\(key)=\((value.jsonValue ?? .null).compactText)" }.joined(
            separator: " ")
    }

    /// The table in the width of the terminal, or 100 columns in a file or a pipe, unless `COLUMNS` is set.
    func text(for terminal: Terminal) -> String {
        let keys: [ReportTable.Column] = ["User", "Flag", "Variation", "Rule", "On"].map { .init($0) }
        let words: [ReportTable.Column] = ["Variables", "Why"].map { .init($0, breaksWords: true) }
        return ReportTable(keys + words, rows: rows).text(width: terminal.width, hasColor: terminal.hasColor)
    }
}
