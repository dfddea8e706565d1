extension DistributionReader {
    /// Reads the exposures of the experiment, which an engine has.
    mutating func readExposures(_ engine: any EventEngine) throws -> DistributionSources {
        let numbers = selection.variationIDs.enumerated().map { ($1, $0) }
        let arms = Dictionary(numbers) { first, _ in first }
        for block in try engine.rows(of: .leftOut(exposures)).blocks {
            for row in block.rows {
                guard let arm = arms[block.texts(0)[row]] else { continue }
                // Without overflow: an engine may answer anything.
                result.leftOut[.correctedTime]?[arm] &+= Int(block.integers(1)[row])
                result.leftOut[.beforeStart]?[arm] &+= Int(block.integers(2)[row])
                result.leftOut[.afterStop]?[arm] &+= Int(block.integers(3)[row])
            }
        }
        let rows = try engine.rows(of: .exposures(exposures))
        let sources = DistributionSources(of: rows)
        // Most visitors have one row. For those with several, the table would be too large.
        let capacity = min(rows.count * 4 / 3, limit / 8 / VisitorTable.size(1))
        table = VisitorTable(capacity: max(table.capacity, capacity))
        for block in rows.blocks { try add(block, arms, sources) }
        try markAttributes(engine)
        return sources
    }

    private mutating func add(
        _ block: EngineResult.Block, _ arms: [String: Int], _ sources: DistributionSources
    ) throws {
        let (visitors, variations, times) = (block.integers(0), block.texts(1), block.integers(4))
        let armsOfVariations = variations.values.map { arms[$0] }
        let sources = sources.places(of: block)
        for row in block.rows where visitors[row] > 0 && EngineRow.times.contains(times[row]) {
            guard let arm = armsOfVariations[Int(variations.places[row])] else { continue }
            let exposure = VisitorTable.Exposure(time: times[row], arm: arm, source: sources[row])
            guard table.add(visitors[row], exposure, limit: limit) else { throw isTooLarge }
        }
    }

    private var exposures: ExposureSelection {
        ExposureSelection(
            projectID: selection.projectID, experimentID: selection.experimentID, start: selection.start,
            end: selection.stop)
    }

    private mutating func markAttributes(_ engine: any EventEngine) throws {
        let attributes = AttributeMarks(selection.exclusions)
        for block in try engine.rows(of: .attributes(exposures, names: attributes.names)).blocks {
            let (visitors, lists) = (block.integers(0), block.texts(1))
            let marks = lists.values.map { attributes.marks(of: Array($0.utf8)) }
            for (visitor, list) in zip(visitors, lists.places) where !marks[Int(list)].isEmpty {
                table.mark(visitor, marks[Int(list)])
            }
        }
    }
}
