/// The requests and responses of a plain memcached client.
struct PlainClient {
    let port: Int

    /// Stores bytes under a key.
    func set(_ key: String, _ text: String) throws {
        _ = try response("set \(key) 0 0 \(text.utf8.count)\r\n\(text)\r\n", until: "\r\n")
    }

    /// The value of a key.
    func get(_ key: String) throws -> String {
        try response("get \(key)\r\n", until: "END\r\n").split(separator: "\r\n", omittingEmptySubsequences: false)
            .dropFirst().dropLast(2).joined(separator: "\r\n")
    }

    func response(_ request: String, until end: String) throws -> String {
        let socket = try TestSocket.connected(to: port)
        socket.write(Array(request.utf8))
        var response: [UInt8] = []
        while !response.suffix(end.utf8.count).elementsEqual(end.utf8) {
            let piece = socket.read()
            guard !piece.isEmpty else { throw MemcachedProcess.Failure() }
            response += piece
        }
        return String(decoding: response, as: UTF8.self)
    }
}
