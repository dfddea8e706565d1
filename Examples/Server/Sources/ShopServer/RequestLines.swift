import Dispatch

/// The lines of standard input, until it or the program ends.
struct RequestLines {
    let lines: AsyncStream<String>
    private let continuation: AsyncStream<String>.Continuation

    init() {
        let (lines, continuation) = AsyncStream.makeStream(of: String.self)
        (self.lines, self.continuation) = (lines, continuation)
        // Reading blocks, so it has a thread of its own. A network server would hand over its requests here.
        DispatchQueue(label: "requests").async {
            while let line = readLine() { continuation.yield(line) }
            continuation.finish()
        }
    }

    /// Takes no more requests; those that came are answered.
    func end() { continuation.finish() }
}
