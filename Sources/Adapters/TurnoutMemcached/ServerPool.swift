import TurnoutClient
import TurnoutSockets

/// The connections to one server, opened on demand and reused while they work.
final class ServerPool: Sendable {
    /// Connections idle for longer are not reused: devices on the network drop idle ones.
    private static let longestSilence = Duration.seconds(60)

    private let server: ProfileServerAddress
    private let options: MemcachedOptions
    private let slots: ConnectionSlots<MemcachedConnection>
    private let lookup: HostLookup

    init(_ server: ProfileServerAddress, _ options: MemcachedOptions) {
        self.server = server
        self.options = options
        slots = ConnectionSlots(limit: options.maximumConnections)
        lookup = HostLookup(limit: options.maximumConnections)
    }

    /// A connection for exclusive use. The caller must return or close it.
    func take(until deadline: ContinuousClock.Instant) throws(ProfileServerError) -> MemcachedConnection {
        guard slots.acquire(until: deadline) else {
            let count = options.maximumConnections
            let message = count == 1 ? "the one connection was" : "all \(count) connections were"
            throw ProfileServerError(.unavailable, message + " in use until the deadline", server: server)
        }
        if let connection = idle() { return connection }
        do throws(ProfileServerError) { return try open(until: deadline) } catch {
            slots.release()
            throw error
        }
    }

    /// Keeps a connection that works.
    func giveBack(_ connection: MemcachedConnection) {
        slots.keep(connection)
        slots.release()
    }

    /// Closes a connection that must not be used again; with `andIdle` also the idle ones, which have probably ended.
    func drop(andIdle: Bool) {
        if andIdle { slots.closeIdle() }
        slots.release()
    }

    /// Calls `body` with a connection, and once more with a new one if the first breaks: an idle one may have been
    /// closed. All requests are idempotent.
    func perform<Result: Sendable>(
        until deadline: ContinuousClock.Instant, _ body: (MemcachedConnection) throws(ProfileServerError) -> Result
    ) throws(ProfileServerError) -> Result {
        do throws(ProfileServerError) { return try attempt(until: deadline, body) } catch {
            guard error.code == .unreachable, ContinuousClock.now < deadline else { throw error }
        }
        return try attempt(until: deadline, body)
    }

    private func attempt<Result: Sendable>(
        until deadline: ContinuousClock.Instant, _ body: (MemcachedConnection) throws(ProfileServerError) -> Result
    ) throws(ProfileServerError) -> Result {
        let connection = try take(until: deadline)
        do throws(ProfileServerError) {
            let result = try body(connection)
            giveBack(connection)
            return result
        } catch {
            if error.leavesConnectionUsable { giveBack(connection) } else { drop(andIdle: error.isOfConnection) }
            throw error
        }
    }

    private func idle() -> MemcachedConnection? {
        while let (connection, unusedFor) = slots.takeIdle() {
            // The others have been idle for even longer.
            guard unusedFor < Self.longestSilence else {
                slots.closeIdle()
                return nil
            }
            if !connection.hasUnexpectedInput { return connection }
        }
        return nil
    }

    private func open(until deadline: ContinuousClock.Instant) throws(ProfileServerError) -> MemcachedConnection {
        let limit = ContinuousClock.now.advanced(by: options.connectTimeout)
        do throws(StreamError) {
            let socket = try Socket.connected(to: server.place, lookup, until: min(deadline, limit))
            return MemcachedConnection(socket, to: server, responseTimeout: options.responseTimeout)
        } catch {
            // If the call itself had little time left, the server may be fine.
            let isSlow = error.kind == .timedOut && limit <= deadline
            throw ProfileServerError(isSlow ? StreamError(.unresponsive, error.message) : error, server: server)
        }
    }
}
