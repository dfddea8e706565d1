#if Metrics
    public import Metrics
    public import TurnoutClient

    #if ServiceLifecycle
        public import ServiceLifecycle
    #endif

    /// Publishes the metrics of a client to swift-metrics: those of `FlagClient.metrics`, with the same names, and with
    /// their labels as dimensions.
    ///
    /// ```swift
    /// let metrics = MetricsPublisher(client)
    /// await metrics.run()  // until its task is canceled
    /// ```
    ///
    /// The client counts by itself; publishing reads the counts and adds what has changed. A gauge whose labels no
    /// longer occur, such as an earlier revision of the datafile, is destroyed.
    public final class MetricsPublisher: Sendable {
        private struct Published {
            var counters: [String: (counter: Counter, value: Int)] = [:]
            var gauges: [String: Gauge] = [:]
        }

        private let client: FlagClient
        private let interval: Duration
        private let dimensions: [(String, String)]
        private let factory: any MetricsFactory
        private let clock: any Clock<Duration>
        private let published = Locked(Published())

        /// Creates a publisher.
        ///
        /// - Parameters:
        ///   - client: The client. It is kept in memory.
        ///   - interval: The time between two publications of ``run()``. Default: 10 seconds.
        ///   - dimensions: Additional dimensions of each metric, to tell apart several clients. Default: none.
        ///   - factory: Creates the metrics. Default: the one that `MetricsSystem` was bootstrapped with.
        ///   - clock: Measures the interval. Default: the system's clock.
        public init(
            _ client: FlagClient, every interval: Duration = .seconds(10), dimensions: [(String, String)] = [],
            factory: any MetricsFactory = MetricsSystem.factory, clock: any Clock<Duration> = .continuous
        ) {
            self.client = client
            self.interval = interval
            self.dimensions = dimensions
            self.factory = factory
            self.clock = clock
        }

        /// Publishes the current metrics. Safe to call at any time, from any thread, but not from the code of the
        /// metrics factory itself.
        public func publish() {
            // Read and published under the lock, so that concurrent calls do not add a change twice.
            published.withLock { published in
                var obsolete = Set(published.gauges.keys)
                for metric in client.metrics.metrics {
                    for value in metric.values {
                        let series = Series(metric.name, value, dimensions)
                        switch metric.kind {
                        case .counter: add(Int(value.value), to: series, in: &published)
                        case .gauge:
                            obsolete.remove(series.id)
                            record(value.value, in: series, &published)
                        }
                    }
                }
                for id in obsolete { published.gauges.removeValue(forKey: id)?.destroy() }
            }
        }

        private func add(_ value: Int, to series: Series, in published: inout Published) {
            let earlier = published.counters[series.id]
            let counter =
                earlier?.counter ?? Counter(label: series.name, dimensions: series.dimensions, factory: factory)
            let change = value - (earlier?.value ?? 0)
            // The first time even without a change, so that the metric exists.
            if earlier == nil || change > 0 { counter.increment(by: change) }
            published.counters[series.id] = (counter, value)
        }

        private func record(_ value: Double, in series: Series, _ published: inout Published) {
            let gauge =
                published.gauges[series.id]
                ?? Gauge(label: series.name, dimensions: series.dimensions, factory: factory)
            gauge.record(value)
            published.gauges[series.id] = gauge
        }

        /// Publishes at once, then after each interval, and once more when the task is canceled. With the trait
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

    /// A metric with one combination of dimensions.
    private struct Series {
        let name: String
        let dimensions: [(String, String)]

        init(_ name: String, _ value: MetricsSnapshot.Value, _ dimensions: [(String, String)]) {
            self.name = name
            self.dimensions = value.labels.map { ($0.name, $0.value) } + dimensions
        }

        /// Distinguishes it from others. Zero separates the parts: it occurs in no name.
        var id: String { dimensions.reduce(name) { "\($0)\0\($1.0)\0\($1.1)" } }
    }
#endif
