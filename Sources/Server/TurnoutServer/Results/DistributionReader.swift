import TurnoutEngine
import TurnoutSQLite

/// Reads how an experiment's visitors and their events are distributed, while the server writes.
///
/// All exposures of the experiment are read once, then the conversions of each metric. What is known of a visitor
/// is in memory.
struct DistributionReader {
    let events: EventSnapshot
    let selection: ResultSelection
    let limit: Int
    var table = VisitorTable()
    var result: ResultDistribution

    /// Creates a reader.
    ///
    /// - Parameters:
    ///   - selection: What to read.
    ///   - limit: The memory to use in bytes.
    ///   - events: The events.
    init(_ selection: ResultSelection, limit: Int, _ events: EventSnapshot) {
        (self.selection, self.limit, self.events) = (selection, limit, events)
        let none = Array(repeating: 0, count: selection.variationIDs.count)
        result = ResultDistribution(
            arms: selection.variationIDs,
            leftOut: Dictionary(uniqueKeysWithValues: ResultDistribution.Reason.allCases.map { ($0, none) }))
    }

    mutating func distribution() throws -> ResultDistribution {
        let sources = if let engine = events.engine { try readExposures(engine) } else { try readExposures() }
        try markVisitors()
        countVisitors(sources)
        for (index, metric) in selection.metrics.enumerated() {
            let same = selection.metrics[..<index].firstIndex(of: metric)
            result.metrics.append(try same.map { result.metrics[$0] } ?? read(metric))
        }
        return result
    }

    var isTooLarge: ResultError { .tooLarge(experiment: selection.experimentID, limit: limit) }

    // MARK: Exposures

    private mutating func readExposures() throws -> DistributionSources {
        let sources = try DistributionSources(ofProject: selection.projectID, events.connection)
        var lists: [(list: Int64, visitor: Int64)] = []
        let corrected = "corrections & \(EventCorrections.timestamp.rawValue)"
        for (id, arm) in try arms() {
            for (name, isCorrected) in [("exposures", corrected), ("first_exposures", "0")] {
                let columns = "visitor, timestamp, source, attributes, \(isCorrected)"
                try events.forEach("SELECT \(columns) FROM \(name) WHERE arm = \(id)") { row in
                    let time = row.int(1)
                    if let reason = reason(time, isCorrected: row.int(4) != 0) {
                        result.leftOut[reason]?[arm] += 1
                        return
                    }
                    let source = sources.places[row.int(2)] ?? 0
                    let exposure = VisitorTable.Exposure(time: time, arm: arm, source: source)
                    guard table.add(row.int(0), exposure, limit: limit) else { throw isTooLarge }
                    if !row.isNull(3) { lists.append((row.int(3), row.int(0))) }
                    if lists.count == 1_000_000 { try events.mark(&lists, selection.exclusions, in: &table) }
                }
            }
        }
        try events.mark(&lists, selection.exclusions, in: &table)
        return sources
    }

    /// The arms' numbers in the file. An arm has several if clients describe it in different ways.
    private func arms() throws -> [(id: Int64, arm: Int)] {
        let statement = try events.connection.statement(
            "SELECT id, variation FROM arms WHERE project = ? AND experiment = ? AND variation IS NOT NULL")
        statement.bind(1, selection.projectID)
        statement.bind(2, selection.experimentID)
        defer { statement.reset() }
        var arms: [(Int64, Int)] = []
        while try statement.step() {
            let arm = selection.variationIDs.firstIndex(of: statement.text(1))
            if let arm { arms.append((statement.int(0), arm)) }
        }
        return arms
    }

    private func reason(_ time: Int64, isCorrected: Bool) -> ResultDistribution.Reason? {
        if isCorrected { return .correctedTime }
        if let start = selection.start, time < start { return .beforeStart }
        if let stop = selection.stop, time >= stop { return .afterStop }
        return nil
    }

    /// Marks the visitors whose variation was forced, and the users among the exclusions.
    private mutating func markVisitors() throws {
        try events.forEach("SELECT id FROM forced") { table.mark($0.int(0), .forced) }
        let project = selection.projectID
        if let forced = try events.engine?.rows(of: .forced(projectID: project)) {
            for block in forced.blocks { for visitor in block.integers(0) { table.mark(visitor, .forced) } }
        }
        let history = try RecordedExperiment.all(ofProject: project, events.connection)
        for experiment in history where experiment.id == selection.experimentID {
            let plans = experiment.periods.map(\.plan).filter { $0.status == RecordedExperiment.Plan.running }
            for user in plans.flatMap(\.allowList) {
                table.mark(EventHash.visitor(user, of: project), .forced)
            }
        }
        for case .user(let user) in selection.exclusions {
            table.mark(EventHash.visitor(user, of: project), .excluded)
        }
    }

    private mutating func countVisitors(_ sources: DistributionSources) {
        var counts: [VisitorTable.Group: Int] = [:]
        for place in 0..<table.capacity {
            guard let first = table.first(at: place) else { continue }
            if let reason = table.marks(at: place).reason {
                result.leftOut[reason]?[first.arm] += 1
            } else {
                counts[first.group, default: 0] += 1
            }
        }
        for (group, visitors) in counts.sorted(by: { $0.key < $1.key }) {
            let (client, version) = sources.all[group.source]
            result.sources.append(
                .init(arm: group.arm, day: group.day, client: client, version: version, visitors: visitors))
            if let last = result.visitors.last, (last.arm, last.day) == (group.arm, group.day) {
                result.visitors[result.visitors.count - 1].visitors += visitors
            } else {
                result.visitors.append(.init(arm: group.arm, day: group.day, visitors: visitors))
            }
        }
    }

    // MARK: Conversions

    private func read(_ metric: ResultSelection.Metric) throws -> ResultDistribution.Metric {
        var read = ResultDistribution.Metric(arms: result.arms.count)
        let outcomes = try outcomes(of: metric, &read)
        var rest: [VisitorTable.Group: Int] = [:]
        for row in result.visitors { rest[.init(arm: row.arm, day: row.day)] = row.visitors }
        // Whoever saw the experiment later still has time for conversions.
        let lastTime = metric.window.map { min(selection.now, selection.end) - $0 } ?? .max
        let table = table
        for place in 0..<table.capacity {
            guard let first = table.counted(at: place) else { continue }
            let group = VisitorTable.Group(arm: first.arm, day: first.day)
            if first.time > lastTime {
                read.unfinished[first.arm] += 1
            } else if let entry = outcomes.entry(at: place) {
                read.rows.append(
                    .init(
                        arm: group.arm, day: group.day, totals: entry.after.totals, before: entry.before.totals,
                        visitors: 1))
            } else {
                continue
            }
            rest[group, default: 0] -= 1
        }
        for (group, visitors) in rest where visitors > 0 {
            read.rows.append(.init(arm: group.arm, day: group.day, visitors: visitors))
        }
        read.joinEqualRows()
        return read
    }

    private func outcomes(
        of metric: ResultSelection.Metric, _ read: inout ResultDistribution.Metric
    ) throws -> OutcomeTable {
        var outcomes = OutcomeTable(capacity: table.capacity)
        guard let day = result.visitors.map(\.day).min() else { return outcomes }
        let start = Int64(day) * 86_400_000 - ResultSelection.timeBefore
        let event = ConversionSelection(
            projectID: selection.projectID, eventKey: metric.eventKey, start: start)
        let (table, end, limit, isTooLarge) = (table, selection.end, limit, isTooLarge)
        try events.forEachConversion(in: event) { row in
            guard row.time >= start, row.time < end, let place = table.find(row.visitor),
                let first = table.counted(at: place)
            else { return }
            guard !row.isCorrected else { return read.corrected[first.arm] += 1 }
            let age = row.time - first.time
            guard age >= -ResultSelection.timeBefore, age < metric.window ?? .max else { return }
            outcomes.add(isBefore: age < 0, at: place, revenue: row.revenue, value: row.value)
            guard table.size + outcomes.size <= limit else { throw isTooLarge }
        }
        return outcomes
    }
}

extension VisitorTable.Marks {
    /// Why a visitor with the marks is left out; nil if not.
    fileprivate var reason: ResultDistribution.Reason? {
        if contains(.forced) { return .forced }
        if contains(.excluded) { return .excluded }
        if contains(.bot) { return .bots }
        return contains(.crossed) ? .crossed : nil
    }
}
