import Foundation
import TurnoutSockets

/// Requests and responses of one byte each, to test only their order and timing.
@Suite(.blocking) struct ExchangeTests {
    private final class Counter: ResponseReader {
        private(set) var completedParts = 0
        func take(_ bytes: UnsafeRawBufferPointer) throws(StreamError) {
            if bytes.contains(0) { throw StreamError(.invalidResponse, "a zero") }
            completedParts += bytes.count
        }
    }

    private final class Bulk: ResponseReader {
        private var rest: Int
        init(_ size: Int) { rest = size }
        var completedParts: Int { rest > 0 ? 0 : 1 }
        func take(_ bytes: UnsafeRawBufferPointer) throws(StreamError) { rest -= bytes.count }
    }

    private func pair() throws -> (socket: Socket, other: TestSocket) {
        let (listener, port) = try TestSocket.listening()
        let addresses = try SocketAddress.all(of: "127.0.0.1", port: port, isNumeric: true)?.get() ?? []
        let socket = try Socket.connected(toOneOf: addresses, until: .now.advanced(by: .seconds(60)))
        return (socket, try TestSocket(accept(listener.descriptor, nil, nil)))
    }

    @Test func onlyAFewPartsAreInFlight() throws {
        let (socket, other) = try pair()
        let largest = Locked(0)
        BlockingCall.start {
            var count = 0
            while count < 100 {
                let bytes = other.read()
                largest.withLock { $0 = max($0, bytes.count) }
                guard !bytes.isEmpty else { return }
                other.write(bytes)
                count += bytes.count
            }
        }
        let counter = Counter()
        let exchange = SocketExchange(on: socket, counter, partCount: 100, window: 7) { _ in [1] }
        SocketExchange.complete([exchange], until: .now.advanced(by: .seconds(60)))
        #expect(counter.completedParts == 100 && largest.withLock { $0 } <= 7)
    }

    @Test func aServerThatFailsDoesNotDisturbTheOthers() throws {
        let (good, goodOther) = try pair()
        let (silent, silentOther) = try pair()
        let (broken, brokenOther) = try pair()
        let (odd, oddOther) = try pair()
        goodOther.write([1])
        brokenOther.end()
        oddOther.write([0])
        let exchanges = [silent, broken, good, odd].map { SocketExchange(on: $0, Counter()) { _ in [1] } }
        SocketExchange.complete(exchanges, idleTimeout: .milliseconds(50), until: .now.advanced(by: .seconds(60)))
        #expect(exchanges.map { $0.failure?.kind } == [.unresponsive, .broken, nil, .invalidResponse])
        withExtendedLifetime(silentOther) {}
    }

    @Test func slowExchangesEndAtTheDeadline() throws {
        let (socket, other) = try pair()
        let isOver = Locked(false)
        BlockingCall.start {
            while !isOver.withLock({ $0 }) {
                other.write([1])
                usleep(2_000)
            }
        }
        let exchange = SocketExchange(on: socket, Counter(), partCount: 1_000_000, window: 1_000_000) { _ in [1] }
        let start = ContinuousClock.now
        SocketExchange.complete([exchange], idleTimeout: .seconds(60), until: start.advanced(by: .milliseconds(200)))
        isOver.withLock { $0 = true }
        #expect(exchange.failure?.kind == .timedOut && ContinuousClock.now - start < .seconds(20))
    }

    /// Both sides send more than the buffers hold: each has to read while it writes.
    @Test func largeRequestsAndResponsesDoNotBlockEachOther() throws {
        let (socket, other) = try pair()
        let size = 16 << 20
        BlockingCall.start {
            var count = 0
            while count < size {
                let bytes = other.read()
                guard !bytes.isEmpty else { return }
                count += bytes.count
                other.write(bytes)
            }
        }
        let request = [UInt8](repeating: 1, count: size)
        let exchange = SocketExchange(on: socket, Bulk(size)) { _ in request }
        SocketExchange.complete([exchange], until: .now.advanced(by: .seconds(60)))
        #expect(exchange.failure == nil)
    }
}
