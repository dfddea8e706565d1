import Foundation
import TurnoutClient
import TurnoutMemcached
import TurnoutRedis

extension FullReport {
    /// Prints the cost of assignments, for work on it.
    static func stores() throws {
        try measureStores { print("\($0.work.title), \($0.metric.rawValue): \($0.metric.text($0.value))") }
    }

    /// With one datafile: the cost of servers and caches does not depend on it.
    static func measureStores(_ add: (Figure) -> Void) throws {
        let subject = try Subject.generated(flags: 10)
        func figure(_ work: Work, _ metric: Metric, _ value: Double) {
            add(Figure(work: work, datafile: subject.name, scale: subject.scale, metric: metric, value: value))
        }
        let cached = try CachedStoreRuns(subject)
        figure(.cachedStore, .addedTime, cached.nanosecondsAdded())
        figure(.cachedStoreWaiting, .addedTime, cached.nanosecondsAddedWaiting())
        try measureRedis(subject, figure)
        try measureMemcached(subject, figure)
    }

    private static func measureRedis(_ subject: Subject, _ figure: (Work, Metric, Double) -> Void) throws {
        guard let server = try RedisRuns() else {
            print("There is no redis-server to measure, or no redis-cli: install redis-tools.")
            return
        }
        let runs = try StoreRuns(subject, server.store)
        figure(.redisRound, .wallTime, try runs.nanosecondsPerRound())
        figure(.redisDecisions, .decisionsPerSecond, try runs.decisionsPerSecond())
        if let bytes = try server.bytesPerUser(of: 1_000_000) { figure(.redisUser, .bytesPerUser, bytes) }
    }

    private static func measureMemcached(_ subject: Subject, _ figure: (Work, Metric, Double) -> Void) throws {
        guard let program = ServerProcess.program("memcached") else {
            print("There is no memcached to measure.")
            return
        }
        let port = try ServerProcess.freePort()
        let server = try ServerProcess(
            program, ["-l", "127.0.0.1", "-p", "\(port)", "-U", "0", "-m", "256", "-t", "2", "-u", NSUserName()])
        let store = try MemcachedProfileStore(
            MemcachedOptions(servers: [.host("127.0.0.1", port: Int(port))]), log: .silent)
        try server.waitUntilReady { _ = try store.profile(of: "unknown") }
        let runs = try StoreRuns(subject, store)
        figure(.memcachedRound, .wallTime, try runs.nanosecondsPerRound())
        figure(.memcachedDecisions, .decisionsPerSecond, try runs.decisionsPerSecond())
        server.stop()
    }
}
