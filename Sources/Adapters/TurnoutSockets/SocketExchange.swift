import LibC

/// Parses the responses to a request as they arrive.
package protocol ResponseReader: AnyObject {
    /// The number of completed parts of the request.
    var completedParts: Int { get }

    /// Parses input.
    ///
    /// - Throws: ``StreamError`` if it is not a response to the request.
    func take(_ bytes: UnsafeRawBufferPointer) throws(StreamError)
}

/// A request on a connection, and the progress of its responses.
///
/// A request has one or more parts. To bound the buffers of both sides, only a few parts are pipelined: the next one is
/// sent when the first of them is completed.
package final class SocketExchange {
    private let stream: any ByteStream
    private let reader: any ResponseReader
    private let partCount: Int
    private let window: Int
    private let part: (Int) -> [UInt8]

    private var begunParts = 0
    private var output: [UInt8] = []
    private var sentCount = 0
    /// When bytes were last sent or received.
    private var progressAt = ContinuousClock.now
    /// Why sending failed. A response that the server sent before takes precedence.
    private var writeFailure: StreamError?
    /// Why there is no complete response, or nil.
    package private(set) var failure: StreamError?

    /// - Parameters:
    ///   - stream: The connection, for exclusive use. It must not be used again after a failure.
    ///   - reader: The parser of the responses.
    ///   - partCount: The number of parts.
    ///   - window: The most pipelined parts.
    ///   - part: Encodes a part.
    package init(
        on stream: any ByteStream, _ reader: any ResponseReader, partCount: Int = 1, window: Int = 1,
        part: @escaping (Int) -> [UInt8]
    ) {
        self.stream = stream
        self.reader = reader
        self.partCount = partCount
        self.window = max(1, window)
        self.part = part
    }

    private var isOver: Bool { failure != nil || reader.completedParts >= partCount && !hasOutput }

    private var hasOutput: Bool { writeFailure == nil && (sentCount < output.count || stream.holdsOutput) }

    private var events: Int16 { hasOutput ? Poll.readable | Poll.writable : Poll.readable }

    /// Sends as much as possible without blocking.
    private func send() {
        if sentCount == output.count {
            output.removeAll(keepingCapacity: true)
            sentCount = 0
            while begunParts < min(partCount, reader.completedParts + window) {
                let next = part(begunParts)
                if output.isEmpty { output = next } else { output += next }
                begunParts += 1
            }
        }
        guard hasOutput else { return }
        do throws(StreamError) {
            let result: Result<Int, StreamError> = output.withUnsafeBytes { bytes in
                Result { () throws(StreamError) in
                    try stream.write(UnsafeRawBufferPointer(rebasing: bytes[sentCount...]))
                }
            }
            let count = try result.get()
            sentCount += count
            if count > 0 { progressAt = .now }
        } catch {
            // A server that refuses a connection sends the reason before it closes it.
            writeFailure = error
        }
    }

    private func receive() {
        do throws(StreamError) { try receiveAll() } catch {
            failure = error.kind == .broken ? writeFailure ?? error : error
        }
    }

    private static let bufferSize = 65_536

    private func receiveAll() throws(StreamError) {
        let result: Result<Void, StreamError> = withUnsafeTemporaryAllocation(
            byteCount: Self.bufferSize, alignment: 16
        ) { buffer in
            Result { () throws(StreamError) in
                while !isOver {
                    let count = try stream.read(into: buffer)
                    guard count > 0 else { return }
                    progressAt = .now
                    try reader.take(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
                    guard count == buffer.count else { return }
                }
            }
        }
        try result.get()
    }

    private func check(at now: ContinuousClock.Instant, idleTimeout: Duration?, deadline: ContinuousClock.Instant) {
        if now >= deadline {
            failure = .timedOut
        } else if let idleTimeout, progressAt.advanced(by: idleTimeout) <= now {
            failure = .unresponsive(for: idleTimeout)
        }
    }

    /// Sends requests on several connections in parallel and waits until all are completed or have failed.
    ///
    /// - Parameters:
    ///   - exchanges: The requests.
    ///   - idleTimeout: The longest time without any progress; nil for no limit before the deadline.
    ///   - deadline: When incomplete requests fail.
    package static func complete(
        _ exchanges: [SocketExchange], idleTimeout: Duration? = nil, until deadline: ContinuousClock.Instant
    ) {
        var open = exchanges
        for exchange in open { exchange.send() }
        var entries: [pollfd] = []
        while true {
            open.removeAll { $0.isOver }
            guard !open.isEmpty else { return }
            entries.removeAll(keepingCapacity: true)
            var end = deadline
            for exchange in open {
                entries.append(pollfd(fd: exchange.stream.descriptor, events: exchange.events, revents: 0))
                if let idleTimeout { end = min(end, exchange.progressAt.advanced(by: idleTimeout)) }
            }
            Poll.wait(&entries, until: end)
            for (exchange, entry) in zip(open, entries) where entry.revents != 0 {
                if entry.revents & ~Poll.writable != 0 { exchange.receive() }
                if !exchange.isOver { exchange.send() }
            }
            let now = ContinuousClock.now
            for exchange in open where !exchange.isOver {
                exchange.check(at: now, idleTimeout: idleTimeout, deadline: deadline)
            }
        }
    }
}
