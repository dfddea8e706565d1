package import TurnoutClient

/// Consistent hashing of keys to servers: adding or removing a server moves only its share.
package struct ServerRing: Sendable {
    private struct Point {
        let place: UInt32
        let server: Int
    }

    /// Enough for shares within about a tenth of each other.
    private static let pointsPerServer = 160
    private let points: [Point]

    package init(_ servers: [ProfileServerAddress]) {
        let names = servers.map(\.description)
        points = names.enumerated().flatMap { index, name in
            (0..<Self.pointsPerServer).map { Point(place: MD5.prefix(of: "\(name)-\($0)"), server: index) }
        }
        .sorted {
            // Points with the same hash have the same order, whatever the order of the servers.
            $0.place == $1.place ? names[$0.server] < names[$1.server] : $0.place < $1.place
        }
    }

    /// The first server from the key's position on that satisfies a condition, or nil.
    package func server(of key: String, where isWanted: (Int) -> Bool) -> Int? {
        let place = MD5.prefix(of: key)
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
