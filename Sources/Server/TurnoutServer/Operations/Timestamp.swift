import TurnoutClient

/// A time of day as text: ISO 8601 in UTC, with milliseconds.
package enum Timestamp {
    /// The text of a time in milliseconds since 1970-01-01 00:00 UTC, such as `2026-11-25T07:30:00.123Z`.
    package static func text(_ milliseconds: Int64) -> String {
        let days = HTTPDate.floor(milliseconds, 86_400_000)
        let time = milliseconds - days * 86_400_000
        let clock = [time / 3_600_000, time / 60_000 % 60, time / 1_000 % 60].map(HTTPDate.twoDigits)
        return "\(dateText(days))T\(clock.joined(separator: ":")).\("\(1_000 + time % 1_000)".dropFirst())Z"
    }

    /// The text of a UTC day since 1970, such as `2026-11-25`.
    package static func dateText(_ days: Int64) -> String {
        let (year, month, day) = HTTPDate.date(ofDay: days)
        return "\(year)-\(HTTPDate.twoDigits(Int64(month) + 1))-\(HTTPDate.twoDigits(day))"
    }
}
