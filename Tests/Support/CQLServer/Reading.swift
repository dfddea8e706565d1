/// The rows of one page, written, and where the next page begins.
struct ResultPage {
    var count = 0
    var rows = FrameWriter()
    var next: PagingState?
}

/// The last row of a page.
struct PagingState: Equatable {
    let token: Int64
    let key: [UInt8]
    let clustering: [[UInt8]]
    /// The rows of this and all earlier pages.
    let returned: Int

    init(token: Int64, key: [UInt8], clustering: [[UInt8]], returned: Int) {
        self.token = token
        self.key = key
        self.clustering = clustering
        self.returned = returned
    }

    init(_ bytes: [UInt8]) throws(CQLError) {
        var reader = FrameReader(bytes)
        token = try reader.long()
        key = try reader.shortBytes()
        returned = Int(try reader.int())
        var clustering: [[UInt8]] = []
        for _ in 0..<(try reader.short()) { clustering.append(try reader.shortBytes()) }
        self.clustering = clustering
    }

    var bytes: [UInt8] {
        var writer = FrameWriter()
        writer.long(token)
        writer.shortBytes(key)
        writer.int(returned)
        writer.short(clustering.count)
        for value in clustering { writer.shortBytes(value) }
        return writer.bytes
    }
}

/// Runs a `SELECT` over the rows of its table.
struct Reading {
    private let plan: ReadPlan
    private let values: [BoundValue]
    private let second: Int64
    private let start: PagingState?
    private let filters: [[[UInt8]]]
    private let limit: Int
    private let pageSize: Int
    private var page = ResultPage()

    init(
        _ plan: ReadPlan, values: [BoundValue], pageSize: Int?, start: PagingState?, second: Int64
    ) throws(CQLError) {
        self.plan = plan
        self.values = values
        self.second = second
        self.start = start
        self.pageSize = pageSize.map { $0 > 0 ? $0 : .max } ?? .max
        var filters: [[[UInt8]]] = []
        for filter in plan.filters { filters.append(try filter.bound(values)) }
        self.filters = filters
        var limit = Int.max
        if let term = plan.limit, case .bytes(let bytes) = term.bound(values) {
            var reader = FrameReader(bytes)
            limit = Int(try reader.int())
            guard limit > 0 else { throw .invalid("the limit is not positive") }
        }
        self.limit = limit
    }

    /// The rows of the page.
    mutating func run(on rows: inout TableRows) throws(CQLError) -> ResultPage {
        if plan.keys.isEmpty {
            try scan(&rows)
        } else {
            for position in try Self.positions(plan.keys, values, in: plan.table) {
                guard start.map({ !(position < $0.position) }) ?? true else { continue }
                if let partition = rows.partitions[position.key], !read(partition, position) { break }
            }
        }
        if plan.isCount {
            let count = page.count
            page = ResultPage(count: 1)
            page.rows.int(8)
            page.rows.long(Int64(count))
        }
        return page
    }

    /// The partitions that conditions name, in the order of a scan; none without conditions.
    static func positions(
        _ keys: [Condition], _ values: [BoundValue], in table: Table
    ) throws(CQLError) -> [TableRows.Position] {
        var positions: [TableRows.Position] = []
        if keys.isEmpty { return positions }
        for components in try product(keys, values) {
            let key = table.partitionBytes(components)
            guard !key.isEmpty else { throw .invalid("the partition key is empty") }
            guard key.count <= Int(UInt16.max) else { throw .invalid("the partition key is longer than 65535 bytes") }
            positions.append(TableRows.Position(token: Murmur3Partitioner.token(of: key), key: key))
        }
        guard positions.count > 1 else { return positions }
        positions.sort()
        return positions.indices.filter { $0 == 0 || positions[$0] != positions[$0 - 1] }.map { positions[$0] }
    }

    /// All combinations of the values that conditions name.
    static func product(_ conditions: [Condition], _ values: [BoundValue]) throws(CQLError) -> [[[UInt8]]] {
        var combinations: [[[UInt8]]] = [[]]
        for condition in conditions {
            let bound = try condition.bound(values)
            if bound.count == 1, combinations.count == 1 {
                combinations[0].append(bound[0])
            } else {
                combinations = combinations.flatMap { combination in bound.map { combination + [$0] } }
            }
        }
        return combinations
    }

    private mutating func scan(_ rows: inout TableRows) throws(CQLError) {
        var bounds: [(Relation.Comparison, Int64)] = []
        for (comparison, term) in plan.tokenBounds {
            guard case .bytes(let bytes) = term.bound(values) else { throw .invalid("a token has no value") }
            var reader = FrameReader(bytes)
            bounds.append((comparison, try reader.long()))
        }
        let positions = rows.sortedPositions
        var index = 0
        if let start = start?.position {
            var high = positions.count
            while index < high {
                let middle = (index + high) / 2
                if positions[middle] < start { index = middle + 1 } else { high = middle }
            }
        }
        for position in positions[index...] where bounds.allSatisfy({ Self.isMet($0.0, position.token, $0.1) }) {
            if let partition = rows.partitions[position.key], !read(partition, position) { return }
        }
    }

    private static func isMet(_ comparison: Relation.Comparison, _ token: Int64, _ bound: Int64) -> Bool {
        switch comparison {
        case .equal, .isIn, .isInList: token == bound
        case .less: token < bound
        case .lessOrEqual: token <= bound
        case .greater: token > bound
        case .greaterOrEqual: token >= bound
        }
    }

    /// Reads the rows of a partition. Returns whether more are wanted.
    private mutating func read(_ partition: Partition, _ position: TableRows.Position) -> Bool {
        let isFirst = start.map { $0.position == position } ?? false
        if isFirst, plan.isDistinct { return true }
        let count = partition.rows.count
        for offset in 0..<count {
            let row = partition.rows[plan.isReversed ? count - 1 - offset : offset]
            if isFirst, let start, !isAfter(row, start) { continue }
            guard row.isLive(since: partition.deletion, at: second), isMatch(row, partition) else { continue }
            guard add(row, partition, position) else { return false }
            if plan.isDistinct { return true }
        }
        return true
    }

    private func isAfter(_ row: Row, _ start: PagingState) -> Bool {
        plan.isReversed
            ? plan.table.isBefore(row.clustering, start.clustering)
            : plan.table.isBefore(start.clustering, row.clustering)
    }

    private func isMatch(_ row: Row, _ partition: Partition) -> Bool {
        for (index, filter) in plan.filters.enumerated() {
            let value: [UInt8]?
            switch filter.place {
            case .partition(let column): value = partition.components[column]
            case .clustering(let column): value = row.clustering[column]
            case .regular(let column): value = row.live(column, since: partition.deletion, at: second)?.value
            }
            guard let value, filter.isMet(by: value, filters[index]) else { return false }
        }
        return true
    }

    /// Adds a row to the page. Returns false if there was no room, or no more rows are wanted.
    private mutating func add(_ row: Row, _ partition: Partition, _ position: TableRows.Position) -> Bool {
        let returned = (start?.returned ?? 0) + page.count
        guard plan.isCount || returned < limit else { return false }
        guard plan.isCount || page.count < pageSize else {
            page.next = last.map {
                PagingState(
                    token: $0.position.token, key: $0.position.key, clustering: $0.clustering, returned: returned)
            }
            return false
        }
        page.count += 1
        if plan.isCount { return true }
        if pageSize != .max { last = (position, row.clustering) }
        for output in plan.outputs { write(output, row, partition) }
        return true
    }

    /// The last row of the page.
    private var last: (position: TableRows.Position, clustering: [[UInt8]])?

    private mutating func write(_ output: ReadPlan.Output, _ row: Row, _ partition: Partition) {
        switch output {
        case .column(.partition(let index)): page.rows.longBytes(partition.components[index])
        case .column(.clustering(let index)): page.rows.longBytes(row.clustering[index])
        case .column(.regular(let index)):
            page.rows.longBytes(row.live(index, since: partition.deletion, at: second)?.value)
        case .writeTime(let index):
            guard let cell = row.live(index, since: partition.deletion, at: second) else { return page.rows.int(-1) }
            page.rows.int(8)
            page.rows.long(cell.timestamp)
        case .timeToLive(let index):
            guard let cell = row.live(index, since: partition.deletion, at: second), cell.timeToLive > 0 else {
                return page.rows.int(-1)
            }
            page.rows.int(4)
            page.rows.int(Int(cell.expiry - second))
        case .token:
            page.rows.int(8)
            page.rows.long(partition.token)
        case .count: break
        }
    }
}

extension PagingState {
    fileprivate var position: TableRows.Position { TableRows.Position(token: token, key: key) }
}
