/// Parses dates in HTTP: RFC 9110, 5.6.7, in all three formats; and writes the one to send.
package enum HTTPDate {
    /// Milliseconds since 1970-01-01 00:00 UTC, or nil if the string is not a date.
    package static func millisecondsSince1970(_ text: String) -> Int64? {
        let parts = text.split { $0 == " " || $0 == "," || $0 == "-" }
        guard parts.count == 5 || parts.count == 6 && parts[5] == "GMT" else { return nil }
        // The asctime format has the year at the end, and the month before the day.
        let isAscTime = parts.count == 5
        let (dayText, monthText) = isAscTime ? (parts[2], parts[1]) : (parts[1], parts[2])
        let (timeText, yearText) = isAscTime ? (parts[3], parts[4]) : (parts[4], parts[3])
        guard let month = months.firstIndex(of: monthText), let day = number(dayText, 1...31),
            var year = number(yearText, 0...9_999), let seconds = secondsOfDay(timeText)
        else { return nil }
        // Two-digit years are within fifty years of now; assuming this century is sufficient.
        if yearText.utf8.count == 2 { year += 2_000 }
        return (days(year, Int64(month) + 1, day) * 86_400 + seconds) * 1_000
    }

    /// The text for a time in seconds since 1970-01-01 00:00 UTC, in the format to send:
    /// `Sun, 06 Nov 1994 08:49:37 GMT`.
    package static func text(_ seconds: Int64) -> String {
        let (day, time) = (floor(seconds, 86_400), seconds - floor(seconds, 86_400) * 86_400)
        let (year, month, dayOfMonth) = date(ofDay: day)
        let weekday = weekdays[Int(day + 4 - floor(day + 4, 7) * 7)]
        let clock = [time / 3_600, time / 60 % 60, time % 60].map(twoDigits).joined(separator: ":")
        return "\(weekday), \(twoDigits(dayOfMonth)) \(months[month]) \(year) \(clock) GMT"
    }

    private static let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    package static func twoDigits(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
    package static func floor(_ number: Int64, _ divisor: Int64) -> Int64 {
        number / divisor - (number % divisor < 0 ? 1 : 0)
    }

    /// The inverse of ``days(_:_:_:)``; January is month 0. By Howard Hinnant's `civil_from_days`.
    package static func date(ofDay day: Int64) -> (year: Int64, month: Int, day: Int64) {
        let shifted = day + 719_468
        let era = floor(shifted, 146_097)
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let fromMarch = (5 * dayOfYear + 2) / 153
        let month = fromMarch < 10 ? fromMarch + 2 : fromMarch - 10
        return (yearOfEra + era * 400 + (month < 2 ? 1 : 0), Int(month), dayOfYear - (153 * fromMarch + 2) / 5 + 1)
    }

    private static let months: [Substring] = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    private static func number(_ text: Substring, _ range: ClosedRange<Int64>) -> Int64? {
        guard text.utf8.allSatisfy({ 0x30...0x39 ~= $0 }), let number = Int64(text), range.contains(number) else {
            return nil
        }
        return number
    }

    private static func secondsOfDay(_ text: Substring) -> Int64? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 3, let hours = number(parts[0], 0...23), let minutes = number(parts[1], 0...59),
            let seconds = number(parts[2], 0...60)
        else { return nil }
        return hours * 3_600 + minutes * 60 + seconds
    }

    /// Days since 1970-01-01 in the Gregorian calendar, computed with years that begin in March.
    package static func days(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
        let year = month > 2 ? year : year - 1
        let month = (month + 9) % 12
        return year * 365 + year / 4 - year / 100 + year / 400 + (month * 306 + 5) / 10 + day - 1 - 719_468
    }
}

extension HTTPResponse {
    /// The delay in the server's `Retry-After`, at most a day; nil if there is none.
    ///
    /// A date is compared with the response's own `Date`, so the clocks need not agree; without one, with the system's
    /// clock.
    package var retryAfter: Duration? {
        guard let text = headers["retry-after"]?.trimmingBlanks else { return nil }
        if let seconds = Int64(text) { return seconds >= 0 ? .seconds(min(seconds, 86_400)) : nil }
        guard let end = HTTPDate.millisecondsSince1970(text) else { return nil }
        let start = headers["date"].flatMap { HTTPDate.millisecondsSince1970($0.trimmingBlanks) }
        let pause = end - (start ?? TimeOfDay.millisecondsSince1970)
        return .milliseconds(min(max(0, pause), 86_400_000))
    }

    /// Whether a retry may succeed a little later.
    package var isTemporaryFailure: Bool { Self.isTemporaryFailure(status) }

    /// Whether a retry may succeed a little later after a response with a status.
    package static func isTemporaryFailure(_ status: Int) -> Bool { [408, 425, 429].contains(status) || status >= 500 }
}
