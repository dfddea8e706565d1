import TurnoutClient
import TurnoutFlags

/// What is known of flags beside their rules: when they changed, and when they were decided.
struct FlagFacts: Sendable {
    private static let day: Int64 = 86_400_000

    let wallClock: any WallClock
    /// Counts decisions; nil if nothing does. Default: nil.
    var decisions: @Sendable () -> FlagDecisions? = { nil }

    /// The latest commit that changed each flag, as far as the history of the file is looked at.
    func changes(in file: (any FlagsFile)?) -> [String: FlagsFileCommit] {
        let commits = (try? file?.history(of: nil, limit: 100)) ?? []
        return commits.reversed().reduce(into: [:]) { latest, commit in
            for flag in commit.flags { latest[flag] = commit }
        }
    }

    /// Why a flag can perhaps be removed; nil if nothing says so.
    func staleness(
        of flag: ConsoleFlags.Flag, _ change: FlagsFileCommit?, _ decisions: FlagDecisions?
    ) -> String? {
        let now = wallClock.millisecondsSince1970()
        // Programs need time to follow a change.
        if let change, now - change.time < 7 * Self.day { return nil }
        if let finding = flag.finding { return finding.message }
        // Programs that decide by themselves are not counted, so a flag that was never decided here may be in use.
        if let last = decisions?.last(of: flag.key), now - last >= 7 * Self.day {
            return "not decided by this server for \((now - last) / Self.day) days"
        }
        if let change, flag.states.allSatisfy({ $0?.kind == .on }), now - change.time >= 28 * Self.day {
            return "on for everyone for \((now - change.time) / Self.day) days"
        }
        return nil
    }
}
