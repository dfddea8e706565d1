#if Memcached
    /// The connections of one call at a time, one to each server, opened when needed and dropped when broken.
    final class ServerConnections {
        let options: MemcachedOptions
        private let health: ServerHealth
        private var connections: [Connection?]

        init(_ options: MemcachedOptions, _ health: ServerHealth) {
            self.options = options
            self.health = health
            connections = Array(repeating: nil, count: options.servers.count)
        }

        /// Asks the server that keeps a key; if that is down the next one, as long as there is time.
        func ask<Answer>(
            for key: String, _ call: Call, _ body: (Connection) throws(MemcachedError) -> Answer
        ) throws(MemcachedError) -> Answer {
            var last: MemcachedError?
            while true {
                guard let server = health.server(of: key, until: call.deadline) else { throw last ?? Self.allDown }
                do throws(MemcachedError) { return try ask(server, call, body) } catch {
                    guard error.isOfConnection, !call.isOver else { throw error }
                    last = error
                }
            }
        }

        /// Asks for many keys, each server for its share.
        func ask(
            for keys: [String], _ call: Call, _ body: (Connection, [String]) throws(MemcachedError) -> Void
        ) throws(MemcachedError) {
            var missing = keys
            var last: MemcachedError?
            while !missing.isEmpty {
                var shares: [Int: [String]] = [:]
                for key in missing {
                    let server = health.server(of: key, until: call.deadline, asking: shares.keys)
                    guard let server else { throw last ?? Self.allDown }
                    shares[server, default: []].append(key)
                }
                missing = []
                for (server, share) in shares {
                    do throws(MemcachedError) {
                        try ask(server, call) { (connection) throws(MemcachedError) in try body(connection, share) }
                    } catch {
                        guard error.isOfConnection, !call.isOver else { throw error }
                        missing += share
                        last = error
                    }
                }
            }
        }

        private static let allDown = MemcachedError(.unreachable, "all servers are down, and not to be tried again yet")

        private static let tooLate = MemcachedError(.deadlineExceeded, "the time was up before a server was asked")

        private func ask<Answer>(
            _ server: Int, _ call: Call, _ body: (Connection) throws(MemcachedError) -> Answer
        ) throws(MemcachedError) -> Answer {
            guard !call.isOver else { throw Self.tooLate }
            let question = call.asks(server)
            do throws(MemcachedError) {
                let answer = try attempt(server, call, body)
                health.worked(server)
                return answer
            } catch {
                if error.isOfConnection {
                    health.failed(server, error, begunAt: question.begunAt)
                } else {
                    health.worked(server)
                }
                throw error
            }
        }

        /// Once more if it is unreachable: an old connection may be one that the server closed long ago, a new one cut
        /// by chance. Neither says that the server is down.
        private func attempt<Answer>(
            _ server: Int, _ call: Call, _ body: (Connection) throws(MemcachedError) -> Answer
        ) throws(MemcachedError) -> Answer {
            do throws(MemcachedError) { return try attempt(server, body) } catch {
                guard error.code == .unreachable, !call.isOver else { throw error }
            }
            return try attempt(server, body)
        }

        private func attempt<Answer>(
            _ server: Int, _ body: (Connection) throws(MemcachedError) -> Answer
        ) throws(MemcachedError) -> Answer {
            let connection =
                if let open = connections[server] { open } else {
                    try Connection(to: options.servers[server], options)
                }
            // Back only if it can be used again.
            connections[server] = nil
            let answer = try body(connection)
            connections[server] = connection
            return answer
        }
    }
#endif
