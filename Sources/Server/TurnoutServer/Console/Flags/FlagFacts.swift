import TurnoutClient
import TurnoutFlags

/// What is known of flags beside their rules: when they changed, and when they were decided.
struct FlagFacts: Sendable {
    private static let day: Int64 = 86_400_000

    let wallClock: any WallClock
    /// The changes that were made on pages.
    let log: ChangeLog
    /// Counts decisions; nil if nothing does. Default: nil.
    var decisions: @Sendable () -> FlagDecisions? = { nil }

    /// When each flag was changed last, by a commit or on a page, as far as the history of the file is looked at.
    func changes(in file: (any FlagsFile)?) -> [String: Int64] {
        let commits = ((try? file?.history(of: nil, limit: 100)) ?? []).map { ($0.time, Array($0.flags)) }
        let records = records().map { ($0.time, $0.flags) }
        return (commits + records).reduce(into: [:]) { latest, change in
            for flag in change.1 { latest[flag] = max(latest[flag] ?? change.0, change.0) }
        }
    }

    /// The changes that were made on pages, the latest first.
    func records(of flag: String? = nil) -> [ChangeRecord] {
        let records = (try? log.records()) ?? []
        return records.filter { record in record.failure == nil && flag.map(record.flags.contains) ?? true }
    }

    /// Why a flag can perhaps be removed; nil if nothing says so.
    func staleness(
        of flag: ConsoleFlags.Flag, changed change: Int64?, _ decisions: FlagDecisions?
    ) -> String? {
        let now = wallClock.millisecondsSince1970()
        // Programs need time to follow a change.
        if let change, now - change < 7 * Self.day { return nil }
        if let finding = flag.finding { return finding.message }
        // Programs that decide by themselves are not counted, so a flag that was never decided here may be in use.
        if let last = decisions?.last(of: flag.key), now - last >= 7 * Self.day {
            return "not decided by this server for \((now - last) / Self.day) days"
        }
        if let change, flag.states.allSatisfy({ $0?.kind == .on }), now - change >= 28 * Self.day {
            return "on for everyone for \((now - change) / Self.day) days"
        }
        return nil
    }
}
