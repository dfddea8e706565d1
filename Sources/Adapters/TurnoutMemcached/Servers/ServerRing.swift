#if Memcached
    /// Which server keeps which key: consistent hashing, so that with a server more or less only its share moves.
    package struct ServerRing: Sendable {
        private struct Point {
            let place: UInt32
            let server: Int
        }

        /// Enough for shares that differ by about a tenth.
        private static let pointsPerServer = 160
        private let points: [Point]

        package init(_ servers: [MemcachedAddress]) {
            points = servers.enumerated().flatMap { index, server in
                (0..<Self.pointsPerServer).map { Point(place: Connection.hash("\(server)-\($0)"), server: index) }
            }
            // Of two points in one place the same one comes first, whatever the order of the servers.
            .sorted { ($0.place, servers[$0.server].description) < ($1.place, servers[$1.server].description) }
        }

        /// The first server from the key's place on that is wanted; nil: none is.
        package func server(of key: String, where isWanted: (Int) -> Bool) -> Int? {
            let place = Connection.hash(key)
            var (low, high) = (0, points.count)
            while low < high {
                let middle = (low + high) / 2
                if points[middle].place < place { low = middle + 1 } else { high = middle }
            }
            for offset in points.indices {
                let server = points[(low + offset) % points.count].server
                if isWanted(server) { return server }
            }
            return nil
        }
    }
#endif
