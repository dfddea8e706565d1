/// A time of day as text: ISO 8601 in UTC, with milliseconds.
package enum Timestamp {
    /// The text of a time in milliseconds since 1970-01-01 00:00 UTC, such as `2026-11-25T07:30:00.123Z`.
    package static func text(_ milliseconds: Int64) -> String {
        let days = milliseconds.floorDivided(by: 86_400_000)
        let time = milliseconds - days * 86_400_000
        let clock = "\(padded(time / 3_600_000)):\(padded(time / 60_000 % 60)):\(padded(time / 1_000 % 60))"
        return "\(dateText(days))T\(clock).\("\(1_000 + time % 1_000)".dropFirst())Z"
    }

    /// The text of a UTC day since 1970, such as `2026-11-25`.
    package static func dateText(_ days: Int64) -> String {
        let (year, month, day) = date(days)
        return "\(year)-\(padded(month))-\(padded(day))"
    }

    /// The date of a day since 1970 in the Gregorian calendar, computed with years that begin in March.
    private static func date(_ days: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let shifted = days + 719_468
        let era = shifted.floorDivided(by: 146_097)
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day)
    }

    private static func padded(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
}

extension Int64 {
    fileprivate func floorDivided(by divisor: Int64) -> Int64 {
        let quotient = self / divisor
        return self % divisor < 0 ? quotient - 1 : quotient
    }
}
