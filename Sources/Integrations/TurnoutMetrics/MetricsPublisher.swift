#if Metrics
    public import Metrics
    public import TurnoutClient

    #if ServiceLifecycle
        public import ServiceLifecycle
    #endif

    /// Publishes a client's counts to swift-metrics.
    ///
    /// ```swift
    /// let metrics = MetricsPublisher(client)
    /// await metrics.run()  // until its task is cancelled
    /// ```
    ///
    /// | Metric | Kind | Dimension |
    /// | --- | --- | --- |
    /// | `turnout.ready` | gauge: 1 if the client has a datafile, otherwise 0 | |
    /// | `turnout.events.lost` | counter of events that were given up | `reason` |
    /// | `turnout.profiles.failures` | counter of failed calls to the store of assignments | `kind` |
    /// | `turnout.notifications` | counter of notifications | `kind` |
    /// | `turnout.notifications.lost` | counter of notifications that a stuck listener lost | |
    ///
    /// The client counts by itself; publishing reads the counts and adds what has changed. Reasons and kinds are named
    /// as `EventLosses.Reason` and `ProfileFailures.Kind` are. All counters exist from the start, with the value 0.
    public final class MetricsPublisher: Sendable {
        private struct Counts {
            var lostEvents = EventLosses()
            var profileFailures = ProfileFailures()
            var lostNotifications = 0
        }

        private let client: FlagClient
        private let interval: Duration
        private let clock: any Clock<Duration>
        private let ready: Gauge
        private let lostEvents: [EventLosses.Reason: Counter]
        private let profileFailures: [ProfileFailures.Kind: Counter]
        private let lostNotifications: Counter
        private let listener: ListenerID?
        private let published = Locked(Counts())

        /// Creates a publisher, and starts to count notifications.
        ///
        /// - Parameters:
        ///   - client: The client. It is kept in memory.
        ///   - interval: The time between two publications of ``run()``. Default: 10 seconds.
        ///   - kinds: The notifications to count. With decisions, impressions or conversions, each of these is queued
        ///     for a listener, which takes longer than a decision. Default: replacements of the datafile.
        ///   - prefix: The beginning of each name. Default: `turnout`.
        ///   - factory: Creates the metrics. Default: the one that `MetricsSystem` was bootstrapped with.
        ///   - clock: Measures the interval. Default: the system's clock.
        public init(
            _ client: FlagClient, every interval: Duration = .seconds(10),
            counting kinds: NotificationKinds = .datafileChanges, prefix: String = "turnout",
            factory: any MetricsFactory = MetricsSystem.factory, clock: any Clock<Duration> = .continuous
        ) {
            self.client = client
            self.interval = interval
            self.clock = clock
            func counter(_ name: String, _ dimensions: [(String, String)] = []) -> Counter {
                let counter = Counter(label: "\(prefix).\(name)", dimensions: dimensions, factory: factory)
                counter.increment(by: 0)
                return counter
            }
            ready = Gauge(label: "\(prefix).ready", dimensions: [], factory: factory)
            lostEvents = Dictionary(
                uniqueKeysWithValues: EventLosses.Reason.allCases.map {
                    ($0, counter("events.lost", [("reason", $0.rawValue)]))
                })
            profileFailures = Dictionary(
                uniqueKeysWithValues: ProfileFailures.Kind.allCases.map {
                    ($0, counter("profiles.failures", [("kind", $0.rawValue)]))
                })
            lostNotifications = counter("notifications.lost")
            let counters = NotificationKinds.named.filter { kinds.contains($0.kind) }
                .map { ($0.kind, counter("notifications", [("kind", $0.name)])) }
            listener =
                counters.isEmpty
                ? nil
                : client.addListener(to: kinds) { notification in
                    counters.first { $0.0 == notification.kind }?.1.increment()
                }
        }

        deinit { if let listener { client.removeListener(listener) } }

        /// Publishes the current counts. Safe to call at any time, from any thread.
        public func publish() {
            let now = Counts(
                lostEvents: client.lostEvents, profileFailures: client.profileFailures,
                lostNotifications: client.lostNotificationCount)
            ready.record(client.project == nil ? 0 : 1)
            // Under the lock, so that concurrent calls do not add the same change twice.
            published.withLock { before in
                for (reason, counter) in lostEvents { counter.add(now.lostEvents[reason] - before.lostEvents[reason]) }
                for (kind, counter) in profileFailures {
                    counter.add(now.profileFailures[kind] - before.profileFailures[kind])
                }
                lostNotifications.add(now.lostNotifications - before.lostNotifications)
                before = now
            }
        }

        /// Publishes at once, then after each interval, and once more when the task is cancelled. With the trait
        /// `ServiceLifecycle`, the publisher is a service, and a graceful shutdown ends it as well.
        public func run() async {
            #if ServiceLifecycle
                await cancelWhenGracefulShutdown { await self.publishUntilCancelled() }
            #else
                await publishUntilCancelled()
            #endif
        }

        private func publishUntilCancelled() async {
            repeat { publish() } while (try? await clock.sleep(for: interval)) != nil
            publish()
        }
    }

    #if ServiceLifecycle
        extension MetricsPublisher: Service {}
    #endif

    extension NotificationKinds {
        /// The kinds and their names.
        fileprivate static let named: [(kind: NotificationKinds, name: String)] = [
            (.decisions, "decision"), (.impressions, "impression"), (.conversions, "conversion"),
            (.datafileChanges, "datafile change"),
        ]
    }

    extension Counter {
        /// Adds a change, if there is one. Counts that were read in the meantime may be older: never decrements.
        fileprivate func add(_ change: Int) {
            if change > 0 { increment(by: change) }
        }
    }
#endif
