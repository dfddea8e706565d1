import TurnoutCommandIO
import TurnoutEngine
package import TurnoutFlags

/// The differences between two projects, for people and machines.
package struct ChangeReport {
    /// The formats of `--output`.
    package enum Format: String, CaseIterable {
        case text
        case json
        case markdown
    }

    private let changes: [ProjectChange]
    /// What differs in the form of datafiles, so that the changes do not say how.
    package let notCompared: [String]

    package init(_ changes: [ProjectChange], notCompared: [String] = []) {
        self.changes = changes
        self.notCompared = notCompared
    }

    /// Whether there are no differences.
    package var isEmpty: Bool { changes.isEmpty && notCompared.isEmpty }

    /// The whole report. Text is wrapped at the width; nil keeps each sentence in a line.
    package func text(as format: Format, width: Int? = nil, hasColor: Bool = false) -> String {
        switch format {
        case .text: text(width: width, hasColor: hasColor)
        case .json: json
        case .markdown: markdown
        }
    }

    /// The changes by outermost part, in the order in which the parts first appear. That a part has another name now
    /// is said in place of its name.
    private var parts: [(name: String, changes: [ProjectChange])] {
        var parts: [(name: String, changes: [ProjectChange])] = []
        var places: [String: Int] = [:]
        for change in changes {
            let name = change.subject.first ?? ""
            if let place = places[name] {
                parts[place].changes.append(change)
            } else {
                places[name] = parts.count
                parts.append((name, [change]))
            }
        }
        return parts.map { name, changes in
            guard let rename = changes.first(where: { $0.kind == .renamed && $0.subject.count == 1 }) else {
                return (name, changes)
            }
            return (rename.sentence, changes.filter { $0 != rename })
        }
    }

    private func text(width: Int?, hasColor: Bool) -> String {
        guard !isEmpty else { return "no differences\n" }
        let unknown = notCompared.map { name in
            "not compared: \(name), which differs in the form of datafiles".printable
                .hanging("  ", width: width, .yellow, hasColor: hasColor) + "\n"
        }
        return parts.map { part in
            let lines = part.changes.map { change in
                let style: TextStyle? =
                    switch change.kind {
                    case .added: .green
                    case .removed: .red
                    case .renamed, .changed: nil
                    }
                let sentence = "  " + change.sentence.printable
                return sentence.hanging("    ", width: width, style, hasColor: hasColor) + "\n"
            }
            return part.name.printable.hanging("  ", width: width, .bold, hasColor: hasColor) + "\n" + lines.joined()
        }.joined() + unknown.joined()
    }

    /// The most characters of a report in Markdown. Comments on GitHub may have 65,536, and this is one with
    /// ``ImpactMarkdown``.
    package static let markdownLimit = 15_000
    /// Room for the line that says what is left out.
    private static let reserve = 1_500

    /// A list that fits a comment; of very many changes, the first ones, and what the others are.
    private var markdown: String {
        guard !isEmpty else { return "No flag, rule or audience differs.\n" }
        var text = ""
        if let first = notCompared.first {
            let more = notCompared.count > 1 ? " and \((notCompared.count - 1).grouped) more" : ""
            text =
                "**Not compared**, because it differs in the form of datafiles: "
                + "\(first.truncated(to: 500).markdown)\(more).\n\n"
        }
        var length = text.unicodeScalars.count
        var (leftOut, parts) = (0, [String]())
        for part in self.parts {
            let title = "- **\(part.name.truncated(to: 200).markdown)**\n"
            var lines = part.changes.map { "  - \($0.sentence.truncated(to: 500).markdown)\n" }
            // A name is not written without the first change.
            if lines.isEmpty { lines = [title] } else { lines[0] = title + lines[0] }
            for (index, line) in lines.enumerated() {
                let addedLength = line.unicodeScalars.count
                guard parts.isEmpty, length + addedLength < Self.markdownLimit - Self.reserve else {
                    leftOut += lines.count - index
                    parts.append(part.name.truncated(to: 100).markdown)
                    break
                }
                text += line
                length += addedLength
            }
        }
        guard leftOut > 0 else { return text }
        let more = parts.count > 5 ? " and \((parts.count - 5).grouped) more" : ""
        return text + "\nA comment has no room for \(leftOut.grouped) more changes, of "
            + parts.prefix(5).joined(separator: ", ") + more + ". `turnout diff` in a terminal prints all.\n"
    }

    /// The changes: kind, subject (a list), detail and environments.
    var values: [JSONValue] {
        changes.map { change in
            JSONValue.object([
                "kind": .string(change.kind.rawValue), "subject": .array(change.subject.map(JSONValue.string)),
                "detail": .string(change.detail),
                "environments": .array(change.environments.map(JSONValue.string)),
            ])
        }
    }

    /// An object with `changes` and `notCompared`.
    private var json: String {
        var writer = JSONWriter()
        writer.value(
            .object(["changes": .array(values), "notCompared": .array(notCompared.map(JSONValue.string))]))
        writer.newline()
        return writer.text
    }
}

extension String {
    /// The text without characters that Markdown, or a code host in it, gives a meaning.
    var markdown: String {
        printable.reduce(into: "") { text, character in
            if "\\`*_[]<>|#@~&{}".contains(character) { text.append("\\") }
            text.append(character)
            // GitHub looks for mentions when the backslash is gone. An invisible word joiner ends them, so that a
            // comment notifies no one.
            if character == "@" { text.append("\u{2060}") }
        }
    }
}
