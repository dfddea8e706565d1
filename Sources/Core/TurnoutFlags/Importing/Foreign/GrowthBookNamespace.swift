import TurnoutEngine

/// The part of a namespace that an experiment of GrowthBook is for.
///
/// A namespace divides users by a hash of their own, so that experiments with different parts exclude each other. It
/// becomes a group, in which each experiment has as many users as before, although others: the group divides users by
/// MurmurHash3 of its id, and GrowthBook by FNV-1a of the name. Parts that overlap exclude no users, and have no
/// translation.
struct GrowthBookNamespace {
    /// The name, which becomes the key of the group.
    let name: String
    /// The buckets of the part.
    let ranges: [Range<Int>]

    /// Reads the part of a rule; nil if it has none in this form. Programs use `filters` before `namespace`.
    init?(_ rule: Node, userID: String) {
        if let filters = rule["filters"] {
            let attribute = filters.elements.first?["attribute"]?.text ?? "id"
            guard filters.elements.count == 1, let filter = filters.elements.first, attribute == userID,
                let name = filter["seed"]?.text, let ranges = filter["ranges"]?.elements
            else { return nil }
            self.init(name, ranges.map { $0.elements.compactMap(\.number) })
        } else {
            guard let parts = rule["namespace"]?.elements, parts.count == 3, let name = parts[0].text else {
                return nil
            }
            self.init(name, [parts.dropFirst().compactMap(\.number)])
        }
    }

    private init?(_ name: String, _ ranges: [[Double]]) {
        guard ranges.allSatisfy({ $0.count == 2 && $0[0] <= $0[1] }) else { return nil }
        self.name = name
        self.ranges = ranges.map { Self.bucket($0[0])..<Self.bucket($0[1]) }
    }

    /// The first bucket after a share, so that parts that meet have no bucket in common.
    private static func bucket(_ share: Double) -> Int {
        Int((min(max(share, 0), 1) * Double(Bucketing.bucketCount)).rounded())
    }
}

/// The namespaces of the experiments that are translated.
struct ClaimedNamespaces {
    private var ranges: [String: [Range<Int>]] = [:]

    /// Takes a part, and returns the share of the group; nil if another experiment has a bucket of it.
    mutating func claim(_ part: GrowthBookNamespace) -> GroupShare? {
        for range in part.ranges {
            guard ranges[part.name, default: []].allSatisfy({ !$0.overlaps(range) }) else { return nil }
        }
        ranges[part.name, default: []] += part.ranges
        let buckets = part.ranges.reduce(0) { $0 + $1.count }
        return GroupShare(group: part.name, traffic: TrafficShare(buckets: min(buckets, Bucketing.bucketCount)))
    }
}

/// The share that a rule has in a group of experiments that exclude each other.
struct GroupShare {
    let group: String
    let traffic: TrafficShare
}
