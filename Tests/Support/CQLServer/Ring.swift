/// The nodes, and which of them have the replicas of a partition. They share their rows.
struct Ring: Sendable {
    struct Node: Sendable {
        let dataCenter: String
        let rack: String
        /// Four bytes of the loopback network.
        let address: [UInt8]
        /// Sixteen bytes.
        let hostID: [UInt8]
        let tokens: [Int64]
        var isDown = false
        /// Reads nothing, as a process that is stopped.
        var isPaused = false

        var addressText: String { address.map(String.init).joined(separator: ".") }
    }

    static let tokensPerNode = 16

    private(set) var nodes: [Node]
    private let sortedTokens: [(token: Int64, node: Int)]

    /// Creates a ring on 127.0.0.1, 127.0.0.2 and so on, where neighbors on the ring are different nodes.
    init(_ settings: [CQLServer.Node]) {
        let count = settings.count * Self.tokensPerNode
        let step = UInt64.max / UInt64(count)
        let tokens = (0..<count).map { Int64(bitPattern: UInt64($0) &* step &+ step / 2 &+ (1 << 63)) }
        nodes = settings.enumerated().map { index, node in
            Node(
                dataCenter: node.dataCenter, rack: node.rack, address: [127, 0, 0, UInt8(index + 1)],
                hostID: [0x70, 0, 0, 0, 0, 0, 0x40, 0, 0x80, 0, 0, 0, 0, 0, 0, UInt8(index + 1)],
                tokens: stride(from: index, to: count, by: settings.count).map { tokens[$0] })
        }
        sortedTokens = tokens.enumerated().map { ($1, $0 % settings.count) }
    }

    subscript(node: Int) -> Node {
        get { nodes[node] }
        set { nodes[node] = newValue }
    }

    /// The nodes with a partition, the first one on the ring first.
    func replicas(of token: Int64, in keyspace: Keyspace) -> [Int] {
        var wanted = keyspace.replicas
        var (low, high) = (0, sortedTokens.count)
        while low < high {
            let middle = (low + high) / 2
            if sortedTokens[middle].token < token { low = middle + 1 } else { high = middle }
        }
        var replicas: [Int] = []
        for offset in 0..<sortedTokens.count where replicas.count < nodes.count {
            let node = sortedTokens[(low + offset) % sortedTokens.count].node
            let group = wanted[""] == nil ? nodes[node].dataCenter : ""
            guard !replicas.contains(node), let count = wanted[group], count > 0 else { continue }
            wanted[group] = count - 1
            replicas.append(node)
        }
        return replicas
    }

    /// How many replicas must answer.
    func required(_ consistency: Consistency, in keyspace: Keyspace, coordinator: Int) -> Int {
        let counts = keyspace.replicas
        let total =
            consistency.isLocal
            ? counts[nodes[coordinator].dataCenter] ?? counts[""] ?? 0 : counts.values.reduce(0, +)
        return switch consistency {
        case .any, .one, .localOne: 1
        case .two: 2
        case .three: 3
        case .all: total
        case .quorum, .localQuorum, .eachQuorum, .serial, .localSerial: total / 2 + 1
        }
    }

    /// How many replicas could answer.
    func alive(_ consistency: Consistency, token: Int64, in keyspace: Keyspace, coordinator: Int) -> Int {
        replicas(of: token, in: keyspace).count { index in
            !nodes[index].isDown
                && (!consistency.isLocal || nodes[index].dataCenter == nodes[coordinator].dataCenter)
        }
    }
}
