/// A program that scripts run, kill and deprive of disk space; they read its output.
///
///     durability track DIRECTORY ADDRESS DATAFILE ACKNOWLEDGED NAME THREADS COUNT
///     durability send DIRECTORY ADDRESS
///     durability obey DIRECTORY ADDRESS DATAFILE
///     durability optimizely ADDRESS [DATAFILE ACKNOWLEDGED NAME COUNT]
///     durability soak DIRECTORY DATAFILE SECONDS
///     durability decide client|optimizely|objective-c|count DIRECTORY exit|return
@main struct Durability {
    static func main() async {
        do { try await run() } catch { end("durability: \(error)", status: 1) }
    }

    private static func run() async throws {
        var arguments = Array(CommandLine.arguments.dropFirst())
        let command = arguments.isEmpty ? "" : arguments.removeFirst()
        #if SQLite
            switch (command, arguments.count) {
            case ("track", 7): try await Tracking(arguments).run()
            case ("send", 2): try await Sending.run(directory: arguments[0], address: arguments[1])
            case ("obey", 3): try Obeying(arguments).run()
            case ("optimizely", 1), ("optimizely", 5): try await Dropped.run(arguments)
            case ("soak", 3): try await Soak(arguments).run()
            case ("decide", 3): try Ending.run(arguments)
            default: end("durability: what is that: \(CommandLine.arguments)", status: 2)
            }
        #else
            end("durability: built without SQLite", status: 2)
        #endif
    }
}
