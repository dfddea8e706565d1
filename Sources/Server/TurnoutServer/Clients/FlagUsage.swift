package import TurnoutClient
import TurnoutEngine

/// Counts decisions by SDK key, flag and variation since the start of the server.
///
/// A decision adds to a count of its outcome that hardly any other thread uses. ``collect()``, which runs every few
/// seconds and before counts are read, finds the names, and adds these counts to those of the hour. The memory is
/// limited: of decisions with further variations, only the number is known.
package final class FlagUsage: Sendable {
    /// The most variations with a metric of their own: those that were seen first.
    static let metricLimit = 1_000

    /// What decisions have in common that are counted as one.
    private struct Outcome: Hashable {
        let sdkKey: String
        let project: ObjectIdentifier?
        let id: Decision.OutcomeID

        /// The key of the datafile would cost as much as the rest of counting.
        func hash(into hasher: inout Hasher) { hasher.combine(id) }
    }

    private struct Recent {
        /// The numbers of decisions, with one of them, which keeps its project in memory and knows the names.
        var counts: [Outcome: (decision: Decision, count: Int)] = [:]
        var others = 0
    }

    private struct Total {
        var counts: [String: [String: [String: VariationUsage]]] = [:]
        var size = 0
        var others = 0

        mutating func add(_ count: Int, _ decision: Decision, of sdkKey: String, at time: Int64, limit: Int) {
            let (flag, variation) = (decision.flagKey, decision.variationKey ?? "")
            if counts[sdkKey]?[flag]?[variation] == nil {
                guard size < limit else { return others += count }
                counts[sdkKey, default: [:]][flag, default: [:]][variation] = VariationUsage(number: size, at: time)
                size += 1
            }
            counts[sdkKey]?[flag]?[variation]?.add(count, at: time)
        }
    }

    /// The start of counting, in milliseconds since 1970.
    package let since: Int64
    private let limit: Int
    private let wallClock: any WallClock
    private let recent = Sharded(capacity: 1) { _ in Recent() }
    private let total = Locked(Total())

    /// Starts to count.
    ///
    /// - Parameters:
    ///   - limit: The most variations of flags, over all SDK keys. Default: 10,000.
    ///   - wallClock: Provides the times.
    package init(limit: Int = 10_000, wallClock: any WallClock) {
        (self.limit, self.wallClock) = (limit, wallClock)
        since = wallClock.millisecondsSince1970()
    }

    /// Counts a decision of a flag that the datafile has.
    package func add(_ decision: Decision, of sdkKey: String) {
        let outcome = Outcome(sdkKey: sdkKey, project: decision.projectIdentity, id: decision.outcomeID)
        recent.withLock(of: CallingThread.fingerprint) { recent in
            if let index = recent.counts.index(forKey: outcome) {
                recent.counts.values[index].count += 1
            } else if recent.counts.count < limit {
                recent.counts[outcome] = (decision, 1)
            } else {
                recent.others += 1
            }
        }
    }

    /// Adds the latest decisions to the counts of the hour.
    package func collect() {
        for shard in recent.shards {
            let recent = shard.state.withLock { state in
                let recent = state
                state = Recent()
                return recent
            }
            let now = wallClock.millisecondsSince1970()
            total.withLock { total in
                total.others += recent.others
                for (outcome, (decision, count)) in recent.counts {
                    total.add(count, decision, of: outcome.sdkKey, at: now, limit: limit)
                }
            }
        }
    }

    // MARK: Reading

    /// The decisions with an SDK key, by flag and variation; those without a variation have an empty one.
    package func usage(sdkKey: String) -> [String: [String: VariationUsage]] {
        collect()
        let now = wallClock.millisecondsSince1970()
        return total.withLock { $0.counts[sdkKey] ?? [:] }.mapValues { $0.mapValues { $0.at(now) } }
    }

    /// The decisions of a flag with an SDK key, by variation; those without a variation have an empty one.
    package func usage(sdkKey: String, flag: String) -> [String: VariationUsage] {
        usage(sdkKey: sdkKey)[flag] ?? [:]
    }

    /// The SDK keys with decisions, sorted.
    package var sdkKeys: [String] {
        collect()
        return total.withLock { $0.counts.keys.sorted() }
    }

    /// The number of decisions with variations beyond the limit.
    package var others: Int { total.withLock { $0.others } }

    package var metrics: MetricsSnapshot {
        collect()
        let total = total.withLock { $0 }
        var (values, others): ([MetricsSnapshot.Value], Int) = ([], total.others)
        for (sdkKey, flags) in total.counts.sorted(by: { $0.key < $1.key }) {
            for (flag, variations) in flags.sorted(by: { $0.key < $1.key }) {
                for (variation, usage) in variations.sorted(by: { $0.key < $1.key }) {
                    guard usage.number < Self.metricLimit else {
                        others += usage.total
                        continue
                    }
                    values.append(
                        .init(
                            usage.total, .init("sdk_key", sdkKey.keyLabel), .init("flag", flag),
                            .init("variation", variation)))
                }
            }
        }
        var snapshot = MetricsSnapshot()
        snapshot.add(
            .counter, "turnout_flag_decisions_total",
            "Decisions by flag and variation; without a variation it is empty.", values)
        snapshot.add(
            .counter, "turnout_flag_decisions_others_total",
            "Decisions of flags and variations beyond the first \(Self.metricLimit), which have no metric.",
            [.init(others)])
        return snapshot
    }
}

/// The decisions that gave a variation of a flag.
package struct VariationUsage: Sendable, Equatable {
    /// The place in the order in which variations were seen.
    fileprivate let number: Int
    /// The decisions since the start of the server.
    package private(set) var total = 0
    /// When the last one was counted, in milliseconds since 1970: up to 15 seconds after it was made.
    package private(set) var lastSeen: Int64
    /// The decisions in each of the last 24 hours, the oldest first. The last hour is not over.
    package private(set) var hours = [Int](repeating: 0, count: 24)
    /// The last of these hours, since 1970.
    private var hour: Int64

    /// The decisions of the last 24 hours.
    package var count24h: Int { hours.reduce(0, +) }

    fileprivate init(number: Int, at time: Int64) {
        (self.number, lastSeen, hour) = (number, time, time / 3_600_000)
    }

    fileprivate mutating func add(_ count: Int, at time: Int64) {
        self = at(time)
        total += count
        hours[hours.count - 1] += count
        lastSeen = time
    }

    /// The same at a later time.
    fileprivate func at(_ time: Int64) -> VariationUsage {
        let passed = Int(min(max(0, time / 3_600_000 - hour), 24))
        guard passed > 0 else { return self }
        var usage = self
        usage.hours = hours.dropFirst(passed) + [Int](repeating: 0, count: passed)
        usage.hour = time / 3_600_000
        return usage
    }
}
