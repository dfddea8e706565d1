/// The limit for a kind of work, and the figures of other clients.
struct Expectation {
    let work: Work
    let metric: Metric
    /// The datafile sizes to which the limit applies.
    let scales: [Subject.Scale]
    /// The maximum, or the minimum if higher is better; nil means no limit.
    let limit: Double?
    /// The figure of the vendor's Swift client.
    var vendor = "–"
    /// The figure of the vendor's fastest server client.
    var peer = "–"

    /// Whether a value is within the limit.
    func isMet(by value: Double) -> Bool? {
        limit.map { metric.isBetterHigher ? value >= $0 : value <= $0 }
    }

    var limitText: String {
        guard let limit else { return "–" }
        // Limits are exact, so they have no decimals for precision.
        let text = metric.text(limit).replacing(".00 ", with: " ").replacing(".0 ", with: " ")
        return limit == 0 ? "0" : "\(metric.isBetterHigher ? "≥" : "≤") \(text)"
    }

    static func expectation(for figure: Figure) -> Expectation? {
        guard figure.threads == nil else { return nil }
        return all.first { $0.work == figure.work && $0.metric == figure.metric && $0.scales.contains(figure.scale) }
    }

    private static let notLarge: [Subject.Scale] = [.small, .medium]
    private static let everything: [Subject.Scale] = [.small, .medium, .large]

    /// The figures of other clients are from the same kind of machine, with datafiles that are not generated here.
    static let all: [Expectation] = deciding + loading + sending + clients + running + threads + stores

    private static let deciding = [
        Expectation(
            work: .decide, metric: .cpuTime, scales: notLarge, limit: 250, vendor: "19–24 µs", peer: "Java 1.7–2.0 µs"),
        Expectation(
            work: .decide, metric: .cpuTime, scales: [.large], limit: 700, vendor: "58–81 µs", peer: "Java 19 µs"),
        Expectation(
            work: .decide, metric: .allocations, scales: everything, limit: 0, vendor: "133–308", peer: "Go 63"),
        Expectation(
            work: .decide, metric: .instructions, scales: everything, limit: 3_000, vendor: "195,000–578,000"),
        Expectation(
            work: .newUser, metric: .cpuTime, scales: notLarge, limit: 600, vendor: "36–38 µs", peer: "Java 1.84 µs"),
        Expectation(
            work: .newUser, metric: .cpuTime, scales: [.large], limit: 1_200, vendor: "78 µs", peer: "Go 17.6 µs"),
        Expectation(work: .reasons, metric: .cpuTime, scales: everything, limit: 2_000),
        Expectation(work: .trace, metric: .cpuTime, scales: everything, limit: 10_000),
        Expectation(work: .decideAll, metric: .cpuTime, scales: [.medium], limit: 25_000),
        Expectation(
            work: .decideAll, metric: .cpuTime, scales: [.large], limit: 700_000, vendor: "53 ms", peer: "Go 16.4 ms"),
    ]

    private static let loading = [
        Expectation(
            work: .load, metric: .cpuTime, scales: [.small], limit: nil, vendor: "4.3–4.7 ms", peer: "Go 1.0–2.0 ms"),
        Expectation(
            work: .load, metric: .cpuTime, scales: [.medium], limit: 1e6, vendor: "7.6 ms", peer: "2.3 ms"),
        Expectation(work: .load, metric: .cpuTime, scales: [.large], limit: 6e6, vendor: "123 ms", peer: "33 ms"),
        Expectation(work: .load, metric: .allocations, scales: [.large], limit: 20_000, vendor: "665,000"),
        Expectation(
            work: .coldLoad, metric: .cpuTime, scales: [.large], limit: 8e6, vendor: "131 ms", peer: "Go 37 ms"),
        Expectation(
            work: .coldLoad, metric: .residentGrowth, scales: [.large], limit: 6e6, vendor: "14.3 MB",
            peer: "Go 24 MB"),
    ]

    private static let sending = [
        Expectation(
            work: .impression, metric: .cpuTime, scales: everything, limit: 500, vendor: "26–32 µs",
            peer: "Java 1.5–2.2 µs"),
        Expectation(work: .impression, metric: .allocations, scales: everything, limit: nil, vendor: "103–113"),
        // A million per second.
        Expectation(work: .batches, metric: .cpuTime, scales: everything, limit: 1_000),
        Expectation(
            work: .durableEvent, metric: .cpuTime, scales: everything, limit: 3_000, vendor: "rewrites a file: ms",
            peer: "Java 2–3 µs, in memory"),
        Expectation(work: .acceptedEvents, metric: .eventsPerSecond, scales: everything, limit: 200_000),
        Expectation(work: .awaitedEvents, metric: .eventsPerSecond, scales: everything, limit: 200_000),
        Expectation(work: .awaitedBatches, metric: .eventsPerSecond, scales: everything, limit: 200_000),
        // Each waits for a commit of its own.
        Expectation(work: .awaitedByTask, metric: .eventsPerSecond, scales: everything, limit: nil),
        Expectation(work: .awaitedByTasks, metric: .eventsPerSecond, scales: everything, limit: 200_000),
        Expectation(work: .waitingEvents, metric: .ratio, scales: everything, limit: 1.1, vendor: "5.7 ×"),
    ]

    private static let clients = [
        Expectation(work: .clientDecide, metric: .cpuTime, scales: notLarge, limit: 350),
        Expectation(work: .clientDecide, metric: .allocations, scales: everything, limit: nil),
        Expectation(work: .clientNewUser, metric: .cpuTime, scales: notLarge, limit: 800),
        Expectation(work: .clientEvent, metric: .cpuTime, scales: everything, limit: nil, vendor: "52 µs"),
        Expectation(work: .clientValue, metric: .addedTime, scales: everything, limit: 60),
        Expectation(work: .clientValue, metric: .allocations, scales: everything, limit: nil),
        Expectation(work: .clientTyped, metric: .addedTime, scales: everything, limit: 60),
        Expectation(work: .clientTyped, metric: .allocations, scales: everything, limit: nil),
        Expectation(work: .clientStatus, metric: .cpuTime, scales: everything, limit: 1_000),
        Expectation(work: .clientMetrics, metric: .cpuTime, scales: [.medium], limit: 1e6),
        Expectation(work: .facadeDecide, metric: .cpuTime, scales: notLarge, limit: 500, vendor: "19–24 µs"),
        Expectation(work: .facadeDecide, metric: .allocations, scales: everything, limit: nil, vendor: "133–308"),
        Expectation(work: .facadeNewUser, metric: .cpuTime, scales: notLarge, limit: 1_500, vendor: "36–48 µs"),
        Expectation(work: .facadeDecideAll, metric: .cpuTime, scales: [.medium], limit: 50_000),
        Expectation(work: .facadeContext, metric: .cpuTime, scales: everything, limit: nil),
        Expectation(work: .facadeOwnProfiles, metric: .cpuTime, scales: everything, limit: 500),
        Expectation(work: .facadeDefaultProfiles, metric: .cpuTime, scales: everything, limit: 1_500),
        Expectation(work: .facadeEvent, metric: .cpuTime, scales: everything, limit: 3_000),
        Expectation(work: .facadeSize, metric: .size, scales: everything, limit: 2.2e6),
    ]

    private static let running = [
        Expectation(work: .startCommand, metric: .wallTime, scales: [.small], limit: 8e6),
        Expectation(work: .startWithNetwork, metric: .wallTime, scales: [.medium], limit: 15e6),
        Expectation(work: .commandUsers, metric: .decisionsPerSecond, scales: [.small], limit: 2e6),
        // Constant memory: the difference between a hundred thousand and a million users is noise.
        Expectation(work: .commandUsers, metric: .memoryRatio, scales: [.small], limit: 1.1),
        // Ten million users in a minute.
        Expectation(work: .commandImpact, metric: .usersPerSecond, scales: [.small], limit: 166_667),
        Expectation(work: .commandImpact, metric: .memoryRatio, scales: [.small], limit: 1.1),
    ]

    /// The processor time of a call on several threads, as a multiple of that on one. At 1.05, two threads make 1.9
    /// times as many calls as one.
    private static let threads =
        Work.allCases.map { Expectation(work: $0, metric: .sixteenThreads, scales: everything, limit: 1.5) }
        + [.decide, .clientDecide, .facadeDecide, .facadeOwnProfiles].map {
            Expectation(work: $0, metric: .twoThreads, scales: everything, limit: 1.05)
        }

    private static let stores = [
        Expectation(work: .redisRound, metric: .wallTime, scales: everything, limit: 60_000),
        Expectation(work: .redisDecisions, metric: .decisionsPerSecond, scales: everything, limit: 80_000),
        Expectation(work: .redisUser, metric: .bytesPerUser, scales: everything, limit: 150),
        Expectation(work: .memcachedRound, metric: .wallTime, scales: everything, limit: 60_000),
        Expectation(work: .memcachedDecisions, metric: .decisionsPerSecond, scales: everything, limit: 80_000),
        Expectation(work: .cachedStore, metric: .addedTime, scales: everything, limit: 100),
        Expectation(work: .cachedStoreWaiting, metric: .addedTime, scales: everything, limit: 100),
    ]
}
