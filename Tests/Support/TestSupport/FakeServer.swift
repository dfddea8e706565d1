import Foundation
import TurnoutClient

/// A server with a scripted conversation on each connection. It ends with the test.
package final class FakeServer: Sendable {
    package let port: Int
    private let listener: TestSocket
    private let open = Collected<TestSocket>()

    /// Runs `talk` on each connection, then sends nothing more, or closes the connection.
    package init(cuts: Bool, _ talk: @escaping @Sendable (TestSocket) -> Void) throws {
        (listener, port) = try TestSocket.listening()
        BlockingCall.start { [weak self, listener] in
            while let connection = try? TestSocket(accept(listener.descriptor, nil, nil)) {
                BlockingCall.start { [weak self] in
                    talk(connection)
                    if !cuts { self?.open.add(connection) }
                }
            }
        }
    }

    deinit { listener.end() }
}
