import TurnoutReports

/// The progress line of a long run, removed at its end.
///
///     1,240,000 of about 5,000,000 users · 812,000/s · 5 s left
///
/// It writes nothing itself: callers write the returned text to standard error.
package struct ProgressLine: Sendable {
    private let unit: String
    /// The total, if known.
    package var total: Int?
    /// Whether the total is a guess. Default: false.
    package var isGuessed = false
    private let terminal: Terminal
    private var nextUpdate = Self.interval
    private var shownWidth = 0

    /// At most ten updates a second; shorter runs show nothing.
    private static let interval = Duration.milliseconds(100)

    /// - Parameters:
    ///   - unit: The unit of the count, such as `users`.
    ///   - total: The total, if known.
    ///   - terminal: The output. If it is not a terminal, no line is shown.
    package init(of unit: String, total: Int? = nil, on terminal: Terminal) {
        self.unit = unit
        self.total = total
        self.terminal = terminal
    }

    /// The text to write now, if an update is due.
    ///
    /// - Parameters:
    ///   - done: The number done so far.
    ///   - elapsed: The time since the start.
    /// - Returns: The text, or nil if no update is due.
    package mutating func update(done: Int, after elapsed: Duration) -> String? {
        guard terminal.isTerminal, elapsed >= nextUpdate else { return nil }
        nextUpdate = elapsed + Self.interval
        // A line that reaches the last column would wrap, and could not be overwritten.
        let line = line(done: done, after: elapsed).truncated(to: terminal.width - 1)
        let width = line.displayWidth
        defer { shownWidth = width }
        return "\r" + line + String(repeating: " ", count: max(shownWidth - width, 0))
    }

    /// The text that removes the line.
    package mutating func clear() -> String? {
        guard shownWidth > 0 else { return nil }
        defer { shownWidth = 0 }
        return "\r" + String(repeating: " ", count: shownWidth) + "\r"
    }

    private func line(done: Int, after elapsed: Duration) -> String {
        let share = total.map { (isGuessed ? " of about " : " of ") + $0.grouped } ?? ""
        let count = "\(done.grouped)\(share) \(unit)"
        var parts = ["  " + count]
        // The bounds keep the conversions to integers from overflowing.
        let rate = min(Double(done) / (elapsed / .seconds(1)), 1e15)
        if rate >= 1 { parts.append("\(Int(rate).rounded(toDigits: 3).grouped)/s") }
        if let total, total > done, rate > 0 {
            let seconds = min(Double(total - done) / rate, 1e9)
            let whole = Int(seconds)
            parts.append("\(Self.text(seconds: Double(whole) < seconds ? whole + 1 : whole)) left")
        }
        return parts.joined(separator: " · ")
    }

    private static func text(seconds: Int) -> String {
        switch seconds {
        case ..<60: "\(seconds) s"
        case ..<3600: "\(seconds / 60) min \(seconds % 60) s"
        default: "\((seconds / 3600).grouped) h \(seconds / 60 % 60) min"
        }
    }
}

extension Int {
    /// The positive number rounded to its first digits, which avoids flicker.
    fileprivate func rounded(toDigits digits: Int) -> Int {
        var (unit, leading) = (1, self)
        while String(leading).count > digits { (unit, leading) = (unit * 10, leading / 10) }
        return (self + unit / 2) / unit * unit
    }
}
