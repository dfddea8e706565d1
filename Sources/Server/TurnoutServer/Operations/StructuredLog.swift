package import TurnoutClient
import TurnoutEngine

/// A log whose entries have fields, as lines of text or JSON.
package struct StructuredLog: Log {
    /// A name and a value.
    package struct Field: Sendable {
        /// The value of a field.
        package enum Value: Sendable {
            case string(String)
            case integer(Int)
            case number(Double)
        }

        let name: String
        let value: Value

        package init(_ name: String, _ value: Value) { (self.name, self.value) = (name, value) }
    }

    private let options: LogOptions
    private let wallClock: any WallClock
    private let output: @Sendable ([UInt8]) -> Void

    /// Creates a log.
    ///
    /// - Parameters:
    ///   - options: The least severe level and the form.
    ///   - wallClock: Provides the times of entries. Default: the system's.
    ///   - output: Receives each entry as a line.
    package init(
        _ options: LogOptions, wallClock: any WallClock = .system, output: @escaping @Sendable ([UInt8]) -> Void
    ) {
        self.options = options
        self.wallClock = wallClock
        self.output = output
    }

    package func isEnabled(_ level: LogLevel) -> Bool { level <= options.level }

    package func write(_ level: LogLevel, _ message: String) { write(level, message, []) }

    /// Writes an entry with fields, if its level is enabled.
    package func write(_ level: LogLevel, _ message: String, _ fields: [Field]) {
        guard isEnabled(level) else { return }
        let time = Timestamp.text(wallClock.millisecondsSince1970())
        switch options.format {
        case .json: output(Self.json(time, level, message, fields))
        case .text: output(Array(Self.text(time, level, message, fields).utf8))
        }
    }

    private static func json(_ time: String, _ level: LogLevel, _ message: String, _ fields: [Field]) -> [UInt8] {
        var writer = JSONWriter.object {
            $0.member("time", time)
            $0.member("level", "\(level)")
            $0.member("message", message)
            for field in fields {
                switch field.value {
                case .string(let text): $0.member(field.name, text)
                case .integer(let number): $0.member(field.name, number)
                case .number(let number): $0.member(field.name, number)
                }
            }
        }
        writer.newline()
        return writer.bytes
    }

    private static func text(_ time: String, _ level: LogLevel, _ message: String, _ fields: [Field]) -> String {
        var line = "\(time) \(level) \(message.onOneLine)"
        for field in fields {
            switch field.value {
            case .string(let text): line += " \(field.name)=\(quoted(text))"
            case .integer(let number): line += " \(field.name)=\(number)"
            case .number(let number): line += " \(field.name)=\(number)"
            }
        }
        return line + "\n"
    }

    /// The text in quotes if it has blanks, quotes or control characters, so that it cannot forge fields.
    private static func quoted(_ text: String) -> String {
        guard text.isEmpty || text.utf8.contains(where: { $0 <= 0x20 || $0 == 0x22 || $0 == 0x7F }) else { return text }
        return JSONValue.string(text).compactText
    }
}

/// Options of the server's log.
package struct LogOptions: Sendable, Equatable {
    /// The form of an entry.
    package enum Format: String, Sendable, CaseIterable {
        /// A line for people: `2026-11-25T07:30:00.123Z info listening port=8080`.
        case text
        /// A JSON object in a line, for collectors of logs.
        case json
    }

    /// The requests that are logged, at the level `info`.
    package enum Requests: String, Sendable, CaseIterable {
        case none
        /// Requests that failed with a status of 500 or more, or took longer than a second.
        case problems
        case all
    }

    /// The least severe level. Default: info.
    package var level = LogLevel.info
    /// The form of entries. Default: text.
    package var format = Format.text
    /// The requests that are logged. Default: problems.
    package var requests = Requests.problems

    package init() {}
}
