import LibC
import Testing

/// The error of a wait that timed out, which is recorded as an issue before.
package struct WaitTimeout: Error, CustomStringConvertible {
    /// The awaited condition.
    package let description: String

    fileprivate init(_ what: String, _ file: (id: String, path: String), _ line: Int) {
        description = "waited in vain: \(what)"
        Issue.record(
            "\(description)",
            sourceLocation: SourceLocation(fileID: file.id, filePath: file.path, line: line, column: 1))
    }
}

/// How long tests wait for what should happen at once: 30 seconds, because other tests compete for the same threads.
package let waitLimit = Duration.seconds(30)

/// Waits until a condition is true. Polls less and less often, to leave the processor to other tests.
///
/// - Throws: ``WaitTimeout`` after ``waitLimit``.
package func wait(
    _ what: String, fileID: String = #fileID, filePath: String = #filePath, line: Int = #line,
    until isTrue: () async throws -> Bool
) async throws {
    let deadline = ContinuousClock.now.advanced(by: waitLimit)
    var pause = Duration.microseconds(200)
    while try await !isTrue() {
        guard ContinuousClock.now < deadline else { throw WaitTimeout(what, (fileID, filePath), line) }
        try await Task.sleep(for: pause)
        pause = min(pause * 2, .milliseconds(50))
    }
}

/// Waits on a thread that may block until a condition is true.
///
/// - Throws: ``WaitTimeout`` after ``waitLimit``.
package func waitBlocking(
    _ what: String, fileID: String = #fileID, filePath: String = #filePath, line: Int = #line,
    until isTrue: () throws -> Bool
) throws {
    let deadline = ContinuousClock.now.advanced(by: waitLimit)
    var pause: UInt32 = 200
    while try !isTrue() {
        guard ContinuousClock.now < deadline else { throw WaitTimeout(what, (fileID, filePath), line) }
        usleep(pause)
        pause = min(pause * 2, 50_000)
    }
}
