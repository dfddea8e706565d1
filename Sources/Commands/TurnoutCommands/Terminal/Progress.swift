/// The line that says how far a long run is, and vanishes at its end.
///
///     1,240,000 of about 5,000,000 users · 812,000/s · 5 s left
///
/// It writes nothing itself: what its functions return belongs on the standard error stream.
package struct Progress: Sendable {
    private let unit: String
    /// How many there will be, about, if that can be told.
    package var total: Int?
    private let terminal: Terminal
    private var nextUpdate = Self.interval
    private var shownWidth = 0

    /// Eyes follow no more than ten changes a second; shorter runs show nothing at all.
    private static let interval = Duration.milliseconds(100)

    /// - Parameters:
    ///   - unit: What is counted: `users`.
    ///   - total: How many there will be, if that is known.
    ///   - terminal: Where the line goes. If it is no terminal, there is no line.
    package init(of unit: String, total: Int? = nil, on terminal: Terminal) {
        self.unit = unit
        self.total = total
        self.terminal = terminal
    }

    /// What to write now, if it is time to write again.
    ///
    /// - Parameters:
    ///   - done: How many are done.
    ///   - elapsed: The time since the start.
    /// - Returns: The line, or nil: it is too early for another.
    package mutating func update(done: Int, after elapsed: Duration) -> String? {
        guard terminal.isTerminal, elapsed >= nextUpdate else { return nil }
        nextUpdate = elapsed + Self.interval
        // A line that reaches the last column would wrap, and could not be taken back.
        let line = line(done: done, after: elapsed).truncated(to: terminal.width - 1)
        let width = line.displayWidth
        defer { shownWidth = width }
        return "\r" + line + String(repeating: " ", count: max(shownWidth - width, 0))
    }

    /// What to write at the end, to leave no trace.
    package mutating func clear() -> String? {
        guard shownWidth > 0 else { return nil }
        defer { shownWidth = 0 }
        return "\r" + String(repeating: " ", count: shownWidth) + "\r"
    }

    private func line(done: Int, after elapsed: Duration) -> String {
        let count = total.map { "\(done.grouped) of about \($0.grouped) \(unit)" } ?? "\(done.grouped) \(unit)"
        var parts = ["  " + count]
        // The bounds keep the conversions to whole numbers safe.
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
    /// The number with a comma before every three digits: `1,240,000`.
    package var grouped: String {
        let digits = String(magnitude)
        var text = self < 0 ? "-" : ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index).isMultiple(of: 3) { text += "," }
            text.append(digit)
        }
        return text
    }

    /// The positive number with zeros behind its first digits, so that it does not flicker.
    fileprivate func rounded(toDigits digits: Int) -> Int {
        var (unit, leading) = (1, self)
        while String(leading).count > digits { (unit, leading) = (unit * 10, leading / 10) }
        return (self + unit / 2) / unit * unit
    }
}
