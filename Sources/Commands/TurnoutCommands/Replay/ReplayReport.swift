import TurnoutCommandIO
import TurnoutEngine

/// How a replay is written: differences as they are found, then the counts.
struct ReplayReport {
    private let isJSON: Bool
    private let hasColor: Bool
    private var wroteAnything = false

    init(isJSON: Bool, hasColor: Bool) { (self.isJSON, self.hasColor) = (isJSON, hasColor) }

    /// The text before the first difference.
    var start: String { isJSON ? "{\"differences\":[" : "" }

    mutating func text(of difference: LogDifference, at line: Int, in log: String) -> String {
        defer { wroteAnything = true }
        guard isJSON else { return text(of: difference, at: "\(log):\(line)") + "\n" }
        return (wroteAnything ? ",\n" : "\n") + Self.json(of: difference, at: line)
    }

    /// The text after the last difference.
    func end(_ count: ReplayCount, in log: String, limit: Int) -> String {
        isJSON ? (wroteAnything ? "\n" : "") + "]," + Self.json(of: count) + "\n" : text(of: count, in: log, limit)
    }

    // MARK: Text

    private func text(of difference: LogDifference, at place: String) -> String {
        var kind = ""
        if case .experiment = difference.subject { kind = "experiment " }
        let title = "\(kind)\(difference.subject.key) for \"\(difference.user.id)\""
        var lines = [line(place + ": ", .dim, title, .bold)]
        if difference.parts.isEmpty { lines.append(line("  ", nil, "the datafile does not have it", .red)) }
        for part in difference.parts {
            lines.append(
                line("  \(part.name): \(Self.text(part.log)) in the log, now ", nil, Self.text(part.now), .yellow))
        }
        if let trace = difference.trace {
            // Names from the datafile must not send control characters to the terminal.
            lines += trace.description.split(separator: "\n").map { "    " + String($0).printable }
        }
        return lines.map { $0 + "\n" }.joined()
    }

    private func line(_ start: String, _ startStyle: TextStyle?, _ end: String, _ endStyle: TextStyle?) -> String {
        start.printable.styled(startStyle, if: hasColor) + end.printable.styled(endStyle, if: hasColor)
    }

    private static func text(_ value: JSONValue) -> String {
        var writer = JSONWriter()
        writer.value(value)
        return writer.text
    }

    private func text(of count: ReplayCount, in log: String, _ limit: Int) -> String {
        var lines = [
            "\(count.decided.grouped) decided again: \(count.equal.grouped) equal, \(count.different.grouped) different"
                .styled(count.different == 0 ? .green : .red, if: hasColor)
        ]
        if count.different > limit {
            let rest = count.different - limit
            let shown =
                switch limit {
                case 0: "none is shown"
                case 1: "the first is shown"
                default: "the first \(limit.grouped) are shown"
                }
            let left = "\(rest.grouped) \(rest == 1 ? "is" : "are")"
            lines.append("Of these, \(shown), and \(left) left out: --show N shows more, --all shows all.")
        }
        for (reason, number) in count.notComparable.sorted(by: { $0.key < $1.key }) {
            lines.append("\(number.grouped) not comparable: \(reason)")
        }
        if let (line, problem) = count.firstUnknown {
            let were = count.unknownLines == 1 ? "line is" : "lines are"
            let unknown = "\(count.unknownLines.grouped) \(were) not recognized"
            lines.append("\(unknown), the first is \(log):\(line): \(problem)")
        }
        return lines.map { $0 + "\n" }.joined()
    }

    // MARK: JSON

    private static func json(of difference: LogDifference, at line: Int) -> String {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("line")
        writer.integer(Int64(line))
        writer.key("user")
        writer.string(difference.user.id)
        if case .experiment = difference.subject { writer.key("experiment") } else { writer.key("flag") }
        writer.string(difference.subject.key)
        writer.key("parts")
        writer.beginArray()
        for part in difference.parts {
            writer.beginObject()
            writer.key("part")
            writer.string(part.name)
            writer.key("log")
            writer.value(part.log)
            writer.key("now")
            writer.value(part.now)
            writer.endObject()
        }
        writer.endArray()
        if let trace = difference.trace, let value = try? JSONValue(parsing: trace.json) {
            writer.key("trace")
            writer.value(value)
        }
        writer.endObject()
        return writer.text
    }

    private static func json(of count: ReplayCount) -> String {
        var writer = JSONWriter()
        writer.beginObject()
        for (key, number) in [("decided", count.decided), ("equal", count.equal), ("different", count.different)] {
            writer.key(key)
            writer.integer(Int64(number))
        }
        writer.key("notComparable")
        writer.value(.object(count.notComparable.mapValues { .integer(Int64($0)) }))
        writer.key("unknownLines")
        writer.integer(Int64(count.unknownLines))
        if let (line, problem) = count.firstUnknown {
            writer.key("firstUnknown")
            writer.value(.object(["line": .integer(Int64(line)), "problem": .string(problem)]))
        }
        writer.endObject()
        return String(writer.text.dropFirst())
    }
}
