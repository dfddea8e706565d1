import Dispatch

/// The lines of standard input, until it ends or the program is stopped.
struct RequestLines {
    let lines: AsyncStream<String>
    private let continuation: AsyncStream<String>.Continuation

    init() {
        let (lines, continuation) = AsyncStream.makeStream(of: String.self)
        (self.lines, self.continuation) = (lines, continuation)
        // Reading blocks, so it uses a separate thread. A network server would pass on its requests here.
        DispatchQueue(label: "requests").async {
            while let line = readLine() { continuation.yield(line) }
            continuation.finish()
        }
    }

    /// Accepts no more requests; earlier ones still get their responses.
    func end() { continuation.finish() }
}
