import LibC
import ServerTestSupport
import TurnoutClient
import TurnoutSQLite
import TurnoutServer

/// A program that scripts run and kill.
///
///     event-log append DIRECTORY NAME              appends until it is killed, and prints each acknowledged body
///     event-log process DIRECTORY                  processes everything, and prints the visitors of all events
///     event-log obey DIRECTORY                     appends and processes as its input says
@main struct EventLogLoad {
    static func main() async throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        switch (arguments.first, arguments.count) {
        case ("append", 3): await append(arguments[1], arguments[2])
        case ("process", 2): try process(arguments[1])
        case ("obey", 2): await obey(arguments[1])
        default:
            print("event-log: unknown arguments \(arguments)")
            exit(2)
        }
    }

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

    private static var now: Int64 { SystemWallClock().millisecondsSince1970() }
}
