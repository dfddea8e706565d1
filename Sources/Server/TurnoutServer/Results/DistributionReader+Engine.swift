extension DistributionReader {
    /// Reads the exposures of the experiment, which an engine has.
    mutating func readExposures(_ engine: any EventEngine) throws -> DistributionSources {
        let numbers = selection.variationIDs.enumerated().map { ($1, $0) }
        let arms = Dictionary(numbers) { first, _ in first }
        let leftOut = try engine.rows(of: .leftOut(exposures))
        for row in 0..<leftOut.count {
            guard let arm = arms[leftOut.text(0, row)] else { continue }
            result.leftOut[.correctedTime]?[arm] += Int(leftOut.integer(1, row))
            result.leftOut[.beforeStart]?[arm] += Int(leftOut.integer(2, row))
            result.leftOut[.afterStop]?[arm] += Int(leftOut.integer(3, row))
        }
        let rows = try engine.rows(of: .exposures(exposures))
        let sources = DistributionSources(of: rows)
        var (source, last) = (0, sources.all[0])
        for row in 0..<rows.count {
            guard let arm = arms[rows.text(1, row)] else { continue }
            let client = (client: rows.text(2, row), version: rows.text(3, row))
            // Most rows have that of the row before.
            if client != last { (source, last) = (sources.all.firstIndex { $0 == client } ?? 0, client) }
            let exposure = VisitorTable.Exposure(time: rows.integer(4, row), arm: arm, source: source)
            guard table.add(rows.integer(0, row), exposure, limit: limit) else { throw isTooLarge }
        }
        try markAttributes(engine)
        return sources
    }

    private var exposures: ExposureSelection {
        ExposureSelection(
            projectID: selection.projectID, experimentID: selection.experimentID, start: selection.start,
            end: selection.stop)
    }

    private mutating func markAttributes(_ engine: any EventEngine) throws {
        let attributes = AttributeMarks(selection.exclusions)
        let rows = try engine.rows(of: .attributes(exposures, names: attributes.names))
        for row in 0..<rows.count {
            let marks = attributes.marks(of: Array(rows.text(1, row).utf8))
            if !marks.isEmpty { table.mark(rows.integer(0, row), marks) }
        }
    }
}
