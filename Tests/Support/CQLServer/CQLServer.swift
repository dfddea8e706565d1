import Dispatch
import TurnoutClient

/// A server for tests that speaks version 4 of Cassandra's native protocol, as a ring of nodes.
///
/// All nodes are in this process, on 127.0.0.1, 127.0.0.2 and so on, with the same free port. They share their rows,
/// which are in memory. Only the statements that assignments and drivers need are there: no collections, counters,
/// lightweight transactions or compression.
///
/// ```swift
/// let server = try CQLServer()
/// try server.run("CREATE KEYSPACE shop WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 3}")
/// server.fail(.writeTimeout(isApplied: true), .writes, times: 2)
/// … // use a driver on server.addresses and server.port
/// #expect(server.counts(of: 0).writes == 2)
/// ```
///
/// Its functions may be called on any thread. Nodes are numbered from 0.
package final class CQLServer: Sendable {
    /// Why a server could not start, or a statement could not run.
    package struct Failure: Error, CustomStringConvertible {
        /// The description of the error.
        package let description: String
    }

    /// Where a node is.
    package struct Node: Sendable {
        package var dataCenter: String
        package var rack: String

        package init(dataCenter: String = "dc1", rack: String = "rack1") {
            self.dataCenter = dataCenter
            self.rack = rack
        }
    }

    /// What drivers must authenticate with.
    package struct Credentials: Sendable {
        let user: String
        let password: String

        package init(user: String, password: String) {
            self.user = user
            self.password = password
        }
    }

    /// The files of TLS, in PEM.
    package struct TLSFiles: Sendable {
        let certificate: String
        let key: String
        let clientAuthorities: String?

        /// Names the files.
        ///
        /// - Parameters:
        ///   - certificate: The server's certificate, with those that it is signed with.
        ///   - key: The key of the certificate.
        ///   - clientAuthorities: What the certificates of clients must be signed with. Default: they need none.
        package init(certificate: String, key: String, clientAuthorities: String? = nil) {
            self.certificate = certificate
            self.key = key
            self.clientAuthorities = clientAuthorities
        }
    }

    package struct Configuration: Sendable {
        /// Default: three nodes in one data center.
        package var nodes = [Node(), Node(), Node()]
        /// Default: none, all drivers may connect.
        package var credentials: Credentials?
        /// Default: none, connections are not encrypted.
        package var encryption: TLSFiles?

        package init() {}
    }

    /// What the threads of callers and that of the server share.
    final class Shared: Sendable {
        let state: Locked<ServerState>
        let wakeReader: Int32
        private let wakeWriter: Int32
        /// Nil: the server has ended.
        private let calls = Locked<[EventLoop.Call]?>([])

        init(_ state: ServerState) throws {
            self.state = Locked(state)
            (wakeReader, wakeWriter) = try Sockets.pipe()
        }

        deinit {
            Sockets.end(wakeReader)
            Sockets.end(wakeWriter)
        }

        /// Makes the server look at calls and events.
        func wake() { _ = Sockets.signal(wakeWriter) }

        /// Sends a command to the server, and waits until it is carried out.
        func call(_ command: EventLoop.Command) {
            let done = DispatchSemaphore(value: 0)
            calls.withLock { calls in
                if calls == nil { done.signal() }
                calls?.append(EventLoop.Call(command: command, done: done))
            }
            wake()
            done.wait()
        }

        func takeCalls() -> [EventLoop.Call] {
            Sockets.drain(wakeReader)
            return calls.withLock { calls in
                defer { calls = calls.map { _ in [] } }
                return calls ?? []
            }
        }

        /// Carries out no more calls.
        func endCalls() {
            let rest = calls.withLock { $0.take() } ?? []
            for call in rest { call.done.signal() }
        }
    }

    /// The port of all nodes.
    package let port: UInt16
    /// The addresses of the nodes, without the port.
    package let addresses: [String]
    let shared: Shared
    private let isStopped = Locked(false)

    /// Starts a server.
    ///
    /// - Throws: `Failure` if there is no port that is free on all addresses, or a file of TLS cannot be used.
    package init(_ configuration: Configuration = Configuration()) throws {
        let files = configuration.encryption
        // The thread of the server has its own, as it is not for several threads.
        if let files { _ = try TLSContext(files) }
        var state = ServerState(configuration)
        let (listeners, port) = try Self.listen(state.ring.nodes.map(\.address))
        state.port = port
        self.port = port
        addresses = state.ring.nodes.map(\.addressText)
        let shared = try Shared(state)
        self.shared = shared
        guard WorkThread.start({ EventLoop(shared, listeners: listeners, files.flatMap { try? TLSContext($0) }).run() })
        else {
            shared.endCalls()
            throw Failure(description: "the system has no more threads")
        }
    }

    deinit { stop() }

    /// Ends the server, and waits until its sockets are closed.
    package func stop() {
        let isFirst = isStopped.withLock { isStopped in
            defer { isStopped = true }
            return !isStopped
        }
        if isFirst { shared.call(.stop) }
    }

    /// Listens on all addresses with one free port, which may be taken on one of them.
    private static func listen(_ addresses: [[UInt8]]) throws -> (listeners: [Int32], port: UInt16) {
        var attempts = 0
        while true {
            var listeners: [Int32] = []
            var port: UInt16 = 0
            do {
                for address in addresses {
                    let listener = try Sockets.bind(to: address, port: port)
                    listeners.append(listener.socket)
                    port = listener.port
                }
                for listener in listeners where !Sockets.open(listener) {
                    throw Failure(description: "cannot listen on port \(port)")
                }
                return (listeners, port)
            } catch {
                for listener in listeners { Sockets.end(listener) }
                attempts += 1
                guard attempts < 20 else { throw error }
            }
        }
    }
}
