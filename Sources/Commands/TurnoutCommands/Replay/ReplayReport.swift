import TurnoutEngine
import TurnoutReports

/// How a replay is written: differences as they are found, then the counts.
struct ReplayReport {
    let isJSON: Bool
    /// The most differences to write.
    let limit: Int
    let terminal: Terminal
    private var wroteAnything = false

    init(isJSON: Bool, limit: Int, terminal: Terminal) {
        (self.isJSON, self.limit, self.terminal) = (isJSON, limit, terminal)
    }

    /// The text before the first difference.
    var start: String { isJSON ? "{\"differences\":[" : "" }

    mutating func text(of difference: LogDifference, at line: Int, in log: String) -> String {
        defer { wroteAnything = true }
        guard isJSON else { return text(difference.blocks(at: "\(log):\(line)")) }
        return (wroteAnything ? ",\n" : "\n") + difference.json(at: line)
    }

    /// The text after the last difference.
    func end(_ count: ReplayCount, in log: String) -> String {
        isJSON ? (wroteAnything ? "\n" : "") + "]," + count.json + "\n" : text(count.blocks(in: log, limit: limit))
    }

    private func text(_ blocks: [Report.Block]) -> String {
        return Report(blocks).text(for: terminal)
    }
}

extension LogDifference {
    fileprivate func blocks(at place: String) -> [Report.Block] {
        var kind = ""
        if case .experiment = subject { kind = "experiment " }
        var blocks: [Report.Block] = [
            .line(.init(texts: [.init(place + ": ", .dim), .init("\(kind)\(subject.key) for \"\(user.id)\"", .bold)]))
        ]
        if parts.isEmpty { blocks.append(.sentence("the datafile does not have it", .red, depth: 1)) }
        for part in parts {
            let before: Report.Text = .init("\(part.name): \(part.log.compactText) in the log, now ")
            blocks.append(.line(.init(texts: [before, .init(part.now.compactText, .yellow)], depth: 1)))
        }
        if let trace { blocks.append(.tree(trace.lines, depth: 2)) }
        return blocks + [.sentence("")]
    }

    fileprivate func json(at line: Int) -> String {
        JSONWriter.object { json in
            json.member("line", line)
            json.member("user", user.id)
            if case .experiment(let key) = subject {
                json.member("experiment", key)
            } else {
                json.member("flag", subject.key)
            }
            json.objects("parts", parts) { json, part in
                json.member("part", part.name)
                json.member("log", part.log)
                json.member("now", part.now)
            }
            if let trace, let value = try? JSONValue(parsing: trace.json) { json.member("trace", value) }
        }.text
    }
}

extension ReplayCount {
    fileprivate func blocks(in log: String, limit: Int) -> [Report.Block] {
        let counts = "\(decided.grouped) decided again: \(equal.grouped) equal, \(different.grouped) different"
        var blocks: [Report.Block] = [.sentence(counts, different == 0 ? .green : .red)]
        if different > limit {
            let shown =
                switch limit {
                case 0: "none is shown"
                case 1: "the first is shown"
                default: "the first \(limit.grouped) are shown"
                }
            let left = "\((different - limit).grouped) \(different - limit == 1 ? "is" : "are")"
            blocks.append(
                .sentence("Of these, \(shown), and \(left) left out: --show N shows more, --all shows all."))
        }
        for (reason, number) in notComparable.sorted(by: { $0.key < $1.key }) {
            blocks.append(.sentence("\(number.grouped) not comparable: \(reason)"))
        }
        if let (line, problem) = firstUnknown {
            let unknown = "\(unknownLines.grouped) \(unknownLines == 1 ? "line is" : "lines are") not recognized"
            blocks.append(.sentence("\(unknown), the first is \(log):\(line): \(problem)"))
        }
        return blocks
    }

    /// The members of the counts, with the brace that ends the whole object.
    fileprivate var json: String {
        let text = JSONWriter.object { json in
            json.member("decided", decided)
            json.member("equal", equal)
            json.member("different", different)
            json.member("notComparable", .object(notComparable.mapValues { .integer(Int64($0)) }))
            json.member("unknownLines", unknownLines)
            guard let (line, problem) = firstUnknown else { return }
            json.member("firstUnknown", .object(["line": .integer(Int64(line)), "problem": .string(problem)]))
        }.text
        return String(text.dropFirst())
    }
}
