import TurnoutEngine

/// Generates datafiles with the structure of large projects: per flag one experiment and a rollout of four rules, half
/// as many audiences as flags, variables of all types.
///
/// Frequencies (paused rules, numbers of variations, sizes of audiences, ends of traffic) follow a datafile with 1,000
/// flags on which other clients were measured. The same size always gives the same bytes.
struct DatafileGenerator {
    let flagCount: Int
    var random = RandomSource(seed: 20_250_301)
    var writer = JSONWriter()
    var audienceIDs: [String] = []
    var lastID = 20_000_000_000

    private init(flagCount: Int) { self.flagCount = flagCount }

    /// The bytes of a datafile.
    static func datafile(flags: Int) -> [UInt8] {
        var generator = DatafileGenerator(flagCount: flags)
        generator.writeDatafile()
        return generator.writer.bytes
    }

    /// Makes an id of eleven digits, ascending with gaps, like the vendor's.
    mutating func makeID() -> String {
        lastID += 1 + random.below(12_000)
        return String(lastID)
    }

    private mutating func writeDatafile() {
        let attributeIDs = AttributeCatalog.entries.map { _ in makeID() }
        audienceIDs = (0..<max(5, flagCount / 2)).map { _ in makeID() }
        let plans = (0..<flagCount).map { makeFlagPlan($0) }
        let grouped = Array(plans.prefix(max(2, flagCount / 25)))

        writer.beginObject()
        writeSettings()
        writer.array("attributes", zip(attributeIDs, AttributeCatalog.entries)) { writer, item in
            writer.object { $0.members([("id", item.0), ("key", item.1.name)]) }
        }
        writeAudiences()
        writeEvents(plans.map(\.experimentID))
        writeGroups(grouped)
        writeArray("experiments", plans.dropFirst(grouped.count)) { $0.writeExperiment($1) }
        writeArray("rollouts", plans[...]) { $0.writeRollout($1) }
        writeArray("featureFlags", plans[...]) { $0.writeFlag($1) }
        for key in ["variables", "integrations"] { writer.array(key, EmptyCollection<Int>()) { _, _ in } }
        writer.endObject()
    }

    private mutating func writeSettings() {
        writer.members([
            ("version", "4"), ("accountId", "12345678"), ("projectId", "23456789"), ("revision", "101"),
            ("sdkKey", "benchmark_sdk_key"), ("environmentKey", "production"),
        ])
        for (key, value) in [("anonymizeIP", true), ("botFiltering", false), ("sendFlagDecisions", true)] {
            writer.key(key)
            writer.bool(value)
        }
    }

    private mutating func writeEvents(_ experimentIDs: [String]) {
        writeArray("events", (0..<max(1, flagCount / 20))[...]) { generator, number in
            let id = generator.makeID()
            let ids = (0..<3).map { _ in generator.random.pick(experimentIDs) }
            generator.writer.object { writer in
                writer.members([("id", id), ("key", "event_\(number)")])
                writer.array("experimentIds", ids) { $0.string($1) }
            }
        }
    }

    private mutating func writeGroups(_ plans: [FlagPlan]) {
        let pairs = stride(from: 0, to: plans.count - 1, by: 2).map { [plans[$0], plans[$0 + 1]] }
        writeArray("groups", pairs[...]) { generator, pair in
            generator.writer.beginObject()
            generator.writer.members([("id", generator.makeID()), ("policy", "random")])
            generator.writeArray("experiments", pair[...]) { $0.writeExperiment($1) }
            generator.writer.traffic(pair.map(\.experimentID), end: 10_000)
            generator.writer.endObject()
        }
    }

    /// Writes an array whose elements need the generator as well as the writer.
    mutating func writeArray<Elements: Sequence>(
        _ key: String, _ elements: Elements, _ write: (inout DatafileGenerator, Elements.Element) -> Void
    ) {
        writer.key(key)
        writer.beginArray()
        for element in elements { write(&self, element) }
        writer.endArray()
    }
}
