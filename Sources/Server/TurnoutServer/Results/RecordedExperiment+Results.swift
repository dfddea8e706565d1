extension RecordedExperiment {
    /// Whether it decides now, by the last datafile.
    package var isRunning: Bool { periods.last?.plan.status == Plan.running }

    /// When it first ran, in milliseconds since 1970; nil if it already ran when this server first saw it.
    package var start: Int64? {
        guard let first = periods.firstIndex(where: { $0.plan.status == Plan.running }), first > 0 else { return nil }
        return periods[first].since
    }

    /// When it stopped, in milliseconds since 1970; nil while it runs, or if it never ran.
    package var stop: Int64? {
        guard !isRunning, let last = periods.lastIndex(where: { $0.plan.status == Plan.running }) else { return nil }
        return periods[last + 1].since
    }

    /// From when on its results stay as they are: an event that counts is taken until then. Nil while it runs.
    func finalSince(daysAfterStop days: Int) -> Int64? {
        stop.map { $0 + Int64(days) * 86_400_000 + EventBatchParser.maximumAge }
    }

    /// The experiment without variations that never got a share of its visitors, such as those for an allow list.
    var withoutEmptyArms: RecordedExperiment {
        let shares = periods.map(\.plan.weights)
        guard shares.contains(where: { $0.values.contains { $0 > 0 } }) else { return self }
        var experiment = self
        experiment.variations = variations.filter { variation in shares.contains { $0[variation.id] ?? 0 > 0 } }
        return experiment
    }

    /// The planned shares of the variations, each from a time until the next one.
    struct Split {
        var since: Int64
        var weights: [Double]
        /// The UTC day of the change, since 1970.
        var day: Int { Int(since / 86_400_000) }
    }

    /// The splits while it ran. Those with the same proportions are one, whatever the traffic.
    var splits: [Split] {
        var splits: [Split] = []
        for period in periods where period.plan.status == Plan.running && !period.plan.weights.isEmpty {
            let weights = variations.map { Double(period.plan.weights[$0.id] ?? 0) }
            let (sum, last) = (weights.reduce(0, +), splits.last?.weights ?? [])
            let lastSum = last.reduce(0, +)
            let isSame = !last.isEmpty && zip(weights, last).allSatisfy { $0 * lastSum == $1 * sum }
            if sum > 0, !isSame { splits.append(Split(since: period.since, weights: weights)) }
        }
        return splits
    }
}
