/// A number of allocations or instructions per operation.
///
/// Counts are the same on a busy machine and on an idle one, so they can be compared with recorded counts.
struct Count: Codable {
    let work: Work
    let datafile: String
    let metric: Metric
    let value: Double

    /// The factor by which a count may grow.
    private static let tolerance = 1.1

    func isSameWork(as other: Count) -> Bool {
        work == other.work && datafile == other.datafile && metric == other.metric
    }

    /// Whether this count exceeds a recorded one by more than a tenth, or at all if that is zero.
    func isWorse(than recorded: Count) -> Bool { value > recorded.value * Self.tolerance }
}

extension Count {
    /// Measures all recorded counts, on generated datafiles.
    static func measureAll() throws -> [Count] {
        var counts: [Count] = []
        for size in Subject.generatedSizes {
            let subject = try Subject.generated(flags: size)
            counts += allocations(on: subject)
            // One size is enough where the count hardly depends on it; Valgrind is slow.
            counts += try instructions(of: size == 100 ? InstructionCounter.works : [.decide], on: subject)
        }
        return counts
    }

    static func allocations(on subject: Subject) -> [Count] {
        Work.repeatable.compactMap { work in
            guard let body = work.repeated(on: subject) else { return nil }
            let value = Stopwatch.allocations(per: body, times: work.countedTimes)
            return Count(
                work: work, datafile: subject.name, metric: .allocations, value: (value * 1_000).rounded() / 1_000)
        }
    }

    /// The instruction counts of some works; empty without Valgrind.
    static func instructions(of works: [Work], on subject: Subject) throws -> [Count] {
        guard let counter = InstructionCounter() else { return [] }
        let folder = try ScratchFolder()
        let path = try folder.write(subject.bytes, to: subject.name)
        return try works.compactMap { work in
            guard work.repeated(on: subject) != nil else { return nil }
            let value = try counter.instructions(of: work, datafile: path)
            return Count(work: work, datafile: subject.name, metric: .instructions, value: value.rounded())
        }
    }
}
