import LibC
import ServerTestSupport
import TurnoutClient
import TurnoutServer

#if SQLite
    import TurnoutSQLite
#endif

/// A program that scripts run and kill; it also measures.
///
///     event-log append DIRECTORY NAME              appends until it is killed, and prints each acknowledged body
///     event-log process DIRECTORY                  processes everything, and prints the visitors of all events
///     event-log obey DIRECTORY                     appends and processes as its input says
///     event-log measure-append DIRECTORY COUNT CONCURRENCY
///     event-log measure-process DIRECTORY COUNT
@main struct EventLogLoad {
    static func main() async throws {
        #if SQLite
            let arguments = Array(CommandLine.arguments.dropFirst())
            switch (arguments.first, arguments.count) {
            case ("append", 3): await append(arguments[1], arguments[2])
            case ("process", 2): try process(arguments[1])
            case ("obey", 2): await obey(arguments[1])
            case ("measure-append", 4):
                await measureAppend(arguments[1], Int(arguments[2]) ?? 0, Int(arguments[3]) ?? 1)
            case ("measure-process", 3): try await measureProcess(arguments[1], Int(arguments[2]) ?? 0)
            default:
                print("event-log: unknown arguments \(arguments)")
                exit(2)
            }
        #endif
    }

    #if SQLite
        private static func say(_ text: String) {
            let bytes = Array((text + "\n").utf8)
            _ = bytes.withUnsafeBytes { write(STDOUT_FILENO, $0.baseAddress, $0.count) }
        }

        /// 64 tasks append bodies with one conversion each, and processing runs at the same time.
        private static func append(_ directory: String, _ name: String) async {
            let log = SegmentLog(directory: directory + "/log", log: .standardError)
            let store = EventDatabase(directory: directory, log: .standardError)
            var options = EventProcessing.Options()
            (options.idlePause, options.idleTime) = (.milliseconds(1), .milliseconds(1))
            let processing = EventProcessing(log, into: store, options, messages: .standardError)
            await withTaskGroup(of: Void.self) { group in
                group.addTask { await processing.run() }
                for task in 0..<64 {
                    group.addTask {
                        for number in 0... {
                            let id = "\(name)-\(task)-\(number)"
                            let snapshot = EventBodies.conversion(uuid: id, timestamp: now)
                            let body = EventBodies.body(EventBodies.visitor(id, snapshot))
                            guard (try? await log.append(body, receivedAt: now)) != nil else { continue }
                            say(id)
                        }
                    }
                }
            }
        }

        private static func process(_ directory: String) throws {
            let log = SegmentLog(directory: directory + "/log", log: .standardError)
            let store = EventDatabase(directory: directory, log: .standardError)
            try EventProcessing(log, into: store, messages: .standardError).processAll()
            try store.connection { connection in
                let statement = try connection.statement(
                    "SELECT v.visitor FROM conversions c JOIN visitors v ON v.id = c.visitor")
                while try statement.step() { say(statement.text(0)) }
            }
        }

        /// Executes commands line by line, with one line of output for each: `append COUNT` prints how many bodies were
        /// acknowledged and refused, `process` the number of new events or the problem, `problem` that of the log, and
        /// `list COUNT` replaces a list of users, and prints how many were added or the problem.
        private static func obey(_ directory: String) async {
            let log = SegmentLog(directory: directory + "/log", log: .standardError)
            let store = EventDatabase(directory: directory, log: .standardError)
            let processing = EventProcessing(log, into: store, messages: .standardError)
            let segments = SegmentDatabase(directory: directory, log: .standardError)
            // Each run has events of its own.
            var number = Int(now) * 1_000
            while let line = readLine() {
                let words = line.split(separator: " ")
                switch words.first {
                case "append":
                    var (acknowledged, refused) = (0, 0)
                    for _ in 0..<(Int(words.last ?? "") ?? 0) {
                        let body = EventBodies.ten(number, timestamp: now)
                        number += 1
                        do {
                            try await log.append(body, receivedAt: now)
                            acknowledged += 1
                        } catch { refused += 1 }
                    }
                    say("\(acknowledged) \(refused)")
                case "process":
                    let before = processing.counts
                    let problem: String
                    do {
                        try processing.processAll()
                        problem = "no problem"
                    } catch { problem = "\(error)" }
                    let counts = processing.counts
                    let events = counts.exposures + counts.conversions - before.exposures - before.conversions
                    say("\(events) events, \(counts.duplicates - before.duplicates) duplicates, \(problem)")
                case "list":
                    let users = (0..<(Int(words.last ?? "") ?? 0)).map { "user-\($0)" }
                    do { say("\(try segments.change("vip", .replace(users)).added) added") } catch { say("\(error)") }
                default: say(log.status.problem ?? "none")
                }
            }
        }

        private static func measureAppend(_ directory: String, _ count: Int, _ concurrency: Int) async {
            let log = SegmentLog(directory: directory + "/log", log: .standardError)
            let bodies = (0..<100).map { EventBodies.ten($0, timestamp: now) }
            let (clock, cpu) = (ContinuousClock(), cpuSeconds)
            let start = clock.now
            let times = await withTaskGroup(of: [Duration].self) { group in
                for task in 0..<concurrency {
                    group.addTask {
                        var times: [Duration] = []
                        for number in 0..<count / concurrency {
                            let start = clock.now
                            _ = try? await log.append(bodies[(task + number) % 100], receivedAt: now)
                            times.append(start.duration(to: clock.now))
                        }
                        return times
                    }
                }
                return await group.reduce(into: []) { $0 += $1 }
            }
            let seconds = start.duration(to: clock.now) / .seconds(1)
            let sorted = times.sorted()
            let status = log.status
            say(
                """
                \(status.appended) bodies of \(bodies[0].count) bytes in \(seconds) s: \
                \(Int(Double(count) / seconds))/s, \(status.commits) commits, \(status.refused) refused, \
                CPU \((cpuSeconds - cpu) / Double(count) * 1e6) µs each, \
                p50 \(sorted[count / 2]), p99 \(sorted[sorted.count * 99 / 100])
                """)
            await log.close()
        }

        private static func measureProcess(_ directory: String, _ count: Int) async throws {
            let parseCount = min(count / 10, 10_000)
            let records = (0..<parseCount).map { EventBodies.record(EventBodies.ten($0), offset: 0) }
            let parser = EventBatchParser()
            var (events, cpu) = (0, cpuSeconds)
            for record in records { events += parser.rows(of: record).count }
            say("parser: \((cpuSeconds - cpu) / Double(events) * 1e6) µs of CPU per event, \(events) events")
            let store = EventDatabase(directory: directory, log: .standardError)
            let clock = ContinuousClock()
            var number = 0
            let pageSize = 2_500
            let stepSize = max(100_000, count / 10)
            while number * 10 < count {
                var busy = Duration.zero
                cpu = 0
                let first = number
                while (number - first) * 10 < stepSize {
                    // Two hours of traffic for each million events.
                    let time = EventBodies.time + Int64(number) * 72
                    let log = MemoryEventLog(maximumSize: 1 << 40)
                    for _ in 0..<pageSize {
                        _ = try await log.append(EventBodies.ten(number, timestamp: time), receivedAt: time)
                        number += 1
                    }
                    let processing = EventProcessing(
                        OffsetLog(log, try store.offset()), into: store, messages: .standardError)
                    let before = cpuSeconds
                    busy += try clock.measure { try processing.processAll() }
                    cpu += cpuSeconds - before
                }
                let done = Double((number - first) * 10)
                say(
                    "\(number * 10) events: \(Int(done / (busy / .seconds(1))))/s, CPU \(cpu / done * 1e6) µs per event"
                )
            }
        }

        private static var now: Int64 { SystemWallClock().millisecondsSince1970() }

        private static var cpuSeconds: Double {
            var time = timespec()
            clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
            return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
        }
    #endif
}
