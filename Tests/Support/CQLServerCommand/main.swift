import CQLServer
import LibC

// Serves until its input ends or it gets SIGTERM. Prints the port, and then one line for each line of its input.

/// Prints a line at once: a reader of a pipe waits for it.
func answer(_ line: String) {
    print(line)
    fflush(nil)
}

do {
    let server = try CQLServer(try StartOptions(CommandLine.arguments.dropFirst()).configuration)
    answer("\(server.port)")
    while let line = readLine() {
        do {
            answer(try ControlLine(line).run(on: server))
        } catch {
            answer("error: \(error)")
        }
    }
    server.stop()
} catch {
    answer("cql-server: \(error)")
    exit(2)
}
