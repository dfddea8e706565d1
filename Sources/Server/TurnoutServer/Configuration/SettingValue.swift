package import TurnoutClient

/// A type that settings can have. Files and the environment contain text.
package protocol SettingValue: Sendable, Equatable {
    /// The expected text, for errors: `a whole number`.
    static var expectedText: String { get }
    /// Reads the texts of a list, or the only text of any other value; nil if they are not a value.
    init?(settingTexts texts: [String])
    /// The texts; empty for a value that is not set.
    var settingTexts: [String] { get }
}

extension String: SettingValue {
    package static var expectedText: String { "a text" }
    package init?(settingTexts texts: [String]) {
        guard let text = texts.first, texts.count == 1, !text.isEmpty else { return nil }
        self = text
    }
    package var settingTexts: [String] { [self] }
}

extension Int: SettingValue {
    package static var expectedText: String { "a whole number" }
    package init?(settingTexts texts: [String]) {
        guard texts.count == 1, let number = Int(texts[0]) else { return nil }
        self = number
    }
    package var settingTexts: [String] { ["\(self)"] }
}

extension Double: SettingValue {
    package static var expectedText: String { "a number" }
    package init?(settingTexts texts: [String]) {
        guard texts.count == 1, let number = Double(texts[0]), number.isFinite else { return nil }
        self = number
    }
    package var settingTexts: [String] { [Int(exactly: self).map { "\($0)" } ?? "\(self)"] }
}

extension Bool: SettingValue {
    package static var expectedText: String { "true or false" }
    package init?(settingTexts texts: [String]) {
        // Go programs accept the others, too.
        switch texts.map({ $0.lowercased() }) {
        case ["true"], ["t"], ["1"]: self = true
        case ["false"], ["f"], ["0"]: self = false
        default: return nil
        }
    }
    package var settingTexts: [String] { ["\(self)"] }
}

extension Optional: SettingValue where Wrapped: SettingValue {
    package static var expectedText: String { Wrapped.expectedText }
    package init?(settingTexts texts: [String]) {
        guard let value = Wrapped(settingTexts: texts) else { return nil }
        self = .some(value)
    }
    package var settingTexts: [String] { self?.settingTexts ?? [] }
}

extension Array: SettingValue where Element == String {
    package static var expectedText: String { "a list of texts" }
    package init?(settingTexts texts: [String]) { self = texts.filter { !$0.isEmpty } }
    package var settingTexts: [String] { self }
}

extension Duration: SettingValue {
    package static var expectedText: String { "a duration such as 500ms, 30s, 5m or 1h30m" }

    /// Reads numbers with units, as `1h30m` or `1.5s`. A zero needs no unit.
    package init?(settingTexts texts: [String]) {
        guard let text = texts.first, texts.count == 1, !text.isEmpty else { return nil }
        var total = Duration.zero
        var rest = text[...]
        while !rest.isEmpty {
            let digits = rest.prefix { ("0"..."9").contains($0) || $0 == "." }
            guard let number = Double(digits), number <= 1e9 else { return nil }
            rest = rest.dropFirst(digits.count)
            let unit = rest.prefix { ("a"..."z").contains($0) }
            guard let scale = Self.units.first(where: { $0.name == unit })?.duration else {
                guard unit.isEmpty, number == 0, rest.isEmpty else { return nil }
                break
            }
            total += scale * number
            rest = rest.dropFirst(unit.count)
        }
        self = total
    }

    package var settingTexts: [String] {
        let milliseconds = Int64(self / .milliseconds(1))
        switch milliseconds {
        case 0: return ["0s"]
        case let time where time % 3_600_000 == 0: return ["\(time / 3_600_000)h"]
        case let time where time % 60_000 == 0: return ["\(time / 60_000)m"]
        case let time where time % 1_000 == 0: return ["\(time / 1_000)s"]
        default: return ["\(milliseconds)ms"]
        }
    }

    private static let units: [(name: Substring, duration: Duration)] = [
        ("ms", .milliseconds(1)), ("s", .seconds(1)), ("m", .seconds(60)), ("h", .seconds(3_600)),
    ]
}

extension SettingValue where Self: RawRepresentable<String> & CaseIterable {
    package static var expectedText: String { "one of " + allCases.map(\.rawValue).joined(separator: ", ") }
    package init?(settingTexts texts: [String]) {
        guard texts.count == 1 else { return nil }
        self.init(rawValue: texts[0])
    }
    package var settingTexts: [String] { [rawValue] }
}

extension LogOptions.Format: SettingValue {}

extension LogOptions.Requests: SettingValue {}

extension SegmentPlatform.Options.UnknownUsers: SettingValue {}

extension EventSettings.Exposures: SettingValue {}

extension ConsoleOptions.Editing: SettingValue {}

extension LogLevel: SettingValue {
    package static var expectedText: String { "one of error, warning, info, debug" }

    /// Reads the name of a level, including the spellings of Go programs.
    package init?(settingTexts texts: [String]) {
        switch texts {
        case ["error"], ["fatal"], ["panic"]: self = .error
        case ["warning"], ["warn"]: self = .warning
        case ["info"]: self = .info
        case ["debug"], ["trace"]: self = .debug
        default: return nil
        }
    }

    package var settingTexts: [String] { ["\(self)"] }
}
