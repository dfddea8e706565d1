import Foundation

extension FakeServer {
    /// Sends scripted responses in order, whatever the request, and repeats the last. Without responses it sends
    /// nothing.
    convenience init(_ responses: String...) throws {
        try self.init(cuts: false) { connection in
            var rest = responses[...]
            while !connection.read().isEmpty {
                guard let response = rest.first else { continue }
                connection.write(Array(response.utf8))
                if rest.count > 1 { rest.removeFirst() }
            }
        }
    }

    var server: ProfileServerAddress { .host("127.0.0.1", port: port) }
}
