import TurnoutClient

/// The known owners of a cluster's slots.
struct SlotMap: Sendable {
    /// The index in `servers` for each slot; -1 if it has no owner or that is unknown.
    private var owners = [Int16](repeating: -1, count: HashSlot.count)
    /// The current and former owners of slots.
    private var servers: [ProfileServerAddress] = []
    /// All servers in the cluster, including replicas.
    private(set) var allServers: Set<ProfileServerAddress> = []

    init() {}

    /// Reads the reply of the server `source` to `CLUSTER SLOTS`. Returns nil if it is invalid.
    init?(_ reply: Reply, from source: ProfileServerAddress) {
        guard let ranges = reply.elements else { return nil }
        for range in ranges {
            guard let parts = range.elements, parts.count >= 3, let first = parts[0].integer,
                let last = parts[1].integer, 0 <= first, first <= last, last < HashSlot.count,
                let master = Self.address(parts[2], from: source)
            else { return nil }
            let place = place(of: master)
            for slot in first...last { owners[Int(slot)] = place }
            allServers.formUnion(parts[2...].compactMap { Self.address($0, from: source) })
        }
    }

    private static func address(_ node: Reply, from source: ProfileServerAddress) -> ProfileServerAddress? {
        guard let parts = node.elements, parts.count >= 2, let port = parts[1].integer, 1...65_535 ~= port else {
            return nil
        }
        // A server that does not know its own name omits it.
        let host = parts[0].text.flatMap { $0.isEmpty || $0 == "?" ? nil : $0 }
        return source.replacing(host: host, port: Int(port))
    }

    private mutating func place(of server: ProfileServerAddress) -> Int16 {
        if let place = servers.firstIndex(of: server) { return Int16(exactly: place) ?? -1 }
        // More servers than slots cannot be valid.
        guard servers.count < HashSlot.count else { return -1 }
        servers.append(server)
        return Int16(servers.count - 1)
    }

    /// The owner of a slot, or nil if it is unknown.
    func owner(of slot: Int) -> ProfileServerAddress? {
        let place = Int(owners[slot])
        return servers.indices ~= place ? servers[place] : nil
    }

    /// Records the new owner of a slot.
    mutating func move(_ slot: Int, to server: ProfileServerAddress) {
        owners[slot] = place(of: server)
        allServers.insert(server)
    }

    /// The servers that have slots, and whether each slot has one.
    var masters: (servers: Set<ProfileServerAddress>, areComplete: Bool) {
        let places = Set(owners)
        return (Set(places.filter { $0 >= 0 }.map { servers[Int($0)] }), !places.contains(-1))
    }
}

extension ProfileServerAddress {
    /// Another port, possibly on another host, as servers of a cluster refer to each other.
    func replacing(host: String?, port: Int) -> ProfileServerAddress {
        if let host { return .host(host, port: port) }
        guard case .host(let own, _) = self else { return .host("127.0.0.1", port: port) }
        return .host(own, port: port)
    }
}

/// Computes the cluster slot of a key.
package enum HashSlot {
    /// The number of slots in a cluster.
    package static let count = 16_384

    /// The slot of a key: the CRC-16 of its hash tag, or of the whole key if it has none.
    package static func of(_ key: String) -> Int {
        var key = key
        return key.withUTF8 { Int(checksum(tag(in: $0))) % count }
    }

    private static func tag(in key: UnsafeBufferPointer<UInt8>) -> Slice<UnsafeBufferPointer<UInt8>> {
        guard let open = key.firstIndex(of: UInt8(ascii: "{")) else { return key[...] }
        let rest = key[(open + 1)...]
        guard let close = rest.firstIndex(of: UInt8(ascii: "}")), close > open + 1 else { return key[...] }
        return rest[..<close]
    }

    /// CRC-16/XMODEM.
    private static func checksum(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) -> UInt16 {
        bytes.reduce(0) { ($0 << 8) ^ table[Int($0 >> 8 ^ UInt16($1))] }
    }

    private static let table: [UInt16] = (0..<256).map { byte in
        (0..<8).reduce(UInt16(byte) << 8) { sum, _ in sum << 1 ^ (sum & 0x8000 == 0 ? 0 : 0x1021) }
    }
}
