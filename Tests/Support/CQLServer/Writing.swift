extension WritePlan {
    /// The longest time to live: twenty years, as in Cassandra.
    static let longestTimeToLive = 630_720_000

    /// The changes of rows with the values of a statement's markers.
    func writes(_ values: [BoundValue], timestamp defaultTimestamp: Int64) throws(CQLError) -> [RowWrite] {
        let timestamp = try number(self.timestamp, values) ?? defaultTimestamp
        let timeToLive = Int(try number(self.timeToLive, values) ?? Int64(table.timeToLive))
        guard timeToLive >= 0 else { throw .invalid("the time to live is negative: \(timeToLive)") }
        guard timeToLive <= Self.longestTimeToLive else {
            throw .invalid("the time to live is too large: \(timeToLive)")
        }
        var changes: [(Int, [UInt8]?)] = []
        for (index, term) in self.values {
            switch term.bound(values) {
            case .unset: continue
            case .null: changes.append((index, nil))
            case .bytes(let bytes):
                try table.regular[index].type.check(bytes)
                changes.append((index, bytes))
            }
        }
        let rows = try Reading.product(clustering, values)
        var writes: [RowWrite] = []
        for partition in try Reading.product(keys, values) {
            let size = table.partitionBytes(partition).count
            guard size > 0 else { throw .invalid("the partition key is empty") }
            guard size <= Int(UInt16.max) else { throw .invalid("the partition key is longer than 65535 bytes") }
            for row in rows {
                writes.append(
                    RowWrite(
                        kind: kind, partition: partition, clustering: row, values: changes, timestamp: timestamp,
                        timeToLive: timeToLive))
            }
        }
        return writes
    }

    private func number(_ term: PlannedTerm?, _ values: [BoundValue]) throws(CQLError) -> Int64? {
        guard let term, case .bytes(let bytes) = term.bound(values) else { return nil }
        var reader = FrameReader(bytes)
        return bytes.count == 4 ? Int64(try reader.int()) : try reader.long()
    }
}
