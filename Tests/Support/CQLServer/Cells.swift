/// The value of a column in a row, or its deletion.
struct Cell: Sendable, Equatable {
    /// Nil: deleted.
    let value: [UInt8]?
    /// Microseconds, as the client or the server says.
    let timestamp: Int64
    /// Seconds; 0: none.
    var timeToLive = 0
    /// The second of the clock in which the value expires.
    var expiry = Int64.max

    /// Whether there is a value in a second of the clock.
    func isLive(at second: Int64) -> Bool { value != nil && second < expiry }

    /// Whether this cell replaces another: the newer one wins. Of two with the same timestamp, a deletion or an expired
    /// value wins, then the greater value, then the later expiry.
    func replaces(_ other: Cell, at second: Int64) -> Bool {
        if timestamp != other.timestamp { return timestamp > other.timestamp }
        let (isLive, isOtherLive) = (isLive(at: second), other.isLive(at: second))
        if isLive != isOtherLive { return isOtherLive }
        let (value, otherValue) = (value ?? [], other.value ?? [])
        if value != otherValue { return otherValue.lexicographicallyPrecedes(value) }
        return expiry > other.expiry
    }
}

/// A row of a partition.
struct Row: Sendable {
    let clustering: [[UInt8]]
    /// Without it, the row ends with its last value: only `INSERT` sets it.
    var marker: Cell?
    /// What was written until then is deleted.
    var deletion = Int64.min
    var cells: [Cell?]

    mutating func write(_ cell: Cell, at index: Int, second: Int64) {
        if let old = cells[index], !cell.replaces(old, at: second) { return }
        cells[index] = cell
    }

    mutating func mark(_ marker: Cell, second: Int64) {
        if let old = self.marker, !marker.replaces(old, at: second) { return }
        self.marker = marker
    }

    /// The cell of a column, if it has a value.
    func live(_ index: Int, since deletion: Int64, at second: Int64) -> Cell? {
        guard let cell = cells[index], cell.timestamp > max(deletion, self.deletion), cell.isLive(at: second) else {
            return nil
        }
        return cell
    }

    /// Whether readers see the row.
    func isLive(since deletion: Int64, at second: Int64) -> Bool {
        if let marker, marker.timestamp > max(deletion, self.deletion), marker.isLive(at: second) { return true }
        return cells.indices.contains { live($0, since: deletion, at: second) != nil }
    }

    var newestTimestamp: Int64 {
        cells.reduce(max(marker?.timestamp ?? .min, deletion)) { max($0, $1?.timestamp ?? .min) }
    }
}

/// The rows with the same partition key.
struct Partition: Sendable {
    let token: Int64
    let components: [[UInt8]]
    /// What was written until then is deleted.
    var deletion = Int64.min
    /// In the order of the clustering columns.
    var rows: [Row] = []

    /// The index of the first row that is not before a clustering key.
    func position(of clustering: [[UInt8]], in table: Table) -> Int {
        var (low, high) = (0, rows.count)
        while low < high {
            let middle = (low + high) / 2
            if table.isBefore(rows[middle].clustering, clustering) { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// The index of a row, which is added if it is missing.
    mutating func place(of clustering: [[UInt8]], in table: Table) -> Int {
        let index = position(of: clustering, in: table)
        if index == rows.count || rows[index].clustering != clustering {
            rows.insert(
                Row(clustering: clustering, cells: Array(repeating: nil, count: table.regular.count)), at: index)
        }
        return index
    }

    mutating func delete(until timestamp: Int64) {
        deletion = max(deletion, timestamp)
        rows.removeAll { $0.newestTimestamp <= deletion }
    }
}
