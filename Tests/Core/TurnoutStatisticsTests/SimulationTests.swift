/// Simulated experiments with a hundred looks each: how often the tests err. The seeds are fixed.
@Suite struct SimulationTests {
    private static let looks = 100
    private let test = EffectTest(.alwaysValid(plannedVisitors: 12_800))

    /// What many experiments showed.
    private struct Tally {
        var experiments = 0
        var errors = 0, naiveErrors = 0, ratioAlarms = 0, covered = 0, changed = 0

        mutating func add(_ looks: [Look?], isNaiveError: Bool, ratio: Double, truth: Double) {
            experiments += 1
            errors += looks.last??.pValue ?? 1 <= 0.05 ? 1 : 0
            naiveErrors += isNaiveError ? 1 : 0
            ratioAlarms += ratio < SampleRatioTest.alarm ? 1 : 0
            let interval = looks.last??.interval
            covered += interval.map { $0.lower <= truth && truth <= $0.upper } == true ? 1 : 0
            changed += interval == nil ? 1 : 0
        }
    }

    /// Runs experiments with 128 visitors between two looks, a quarter of whom convert. With an effect, one in sixteen
    /// of the others converts as well, if it has the treatment. Each word of random bits decides for 64 visitors.
    private func tally(experiments: Int, seed: UInt64, isEffective: Bool) throws -> Tally {
        var random = SplitMix(state: seed)
        var tally = Tally()
        let ratioTest = try #require(SampleRatioTest(weights: [1, 1]))
        for _ in 0..<experiments {
            var (visitors, conversions) = ([0, 0], [0, 0])
            var comparisons: [Comparison?] = []
            var split: [[Int]] = []
            for word in 1...2 * Self.looks {
                let treatment = random.next()
                var converted = random.next() & random.next()
                if isEffective {
                    converted |= treatment & random.next() & random.next() & random.next() & random.next()
                }
                for (arm, members) in [~treatment, treatment].enumerated() {
                    visitors[arm] += members.nonzeroBitCount
                    conversions[arm] += (members & converted).nonzeroBitCount
                }
                guard word % 2 == 0 else { continue }
                split.append(visitors)
                let isEnough = visitors.allSatisfy { $0 >= MetricHistory.minimumVisitors }
                comparisons.append(isEnough ? comparison(visitors, conversions) : nil)
            }
            let isNaiveError = comparisons.contains { comparison in
                guard let effect = comparison?.difference else { return false }
                return abs(effect.value) > 1.96 * effect.squaredError.squareRoot()
            }
            tally.add(
                test.looks(at: comparisons), isNaiveError: isNaiveError, ratio: ratioTest.pValues(at: split).last ?? 0,
                truth: isEffective ? 3.0 / 64 : 0)
        }
        return tally
    }

    private func comparison(_ visitors: [Int], _ conversions: [Int]) -> Comparison {
        let samples = zip(visitors, conversions).map { visitors, conversions in
            let rate = Double(conversions) / Double(visitors)
            return Sample(visitors: visitors, mean: rate, variance: rate * (1 - rate))
        }
        return Comparison(control: samples[0], treatment: samples[1])
    }

    @Test func withoutAnEffectOnlyNaiveTestsErr() throws {
        let tally = try tally(experiments: rounds(300, thorough: 2000), seed: 1, isEffective: false)
        let count = Double(tally.experiments)
        #expect(Double(tally.errors) <= 0.05 * count, "\(tally)")
        #expect(Double(tally.naiveErrors) >= 5 * 0.05 * count, "\(tally)")
        #expect(Double(tally.ratioAlarms) <= 0.002 * count, "\(tally)")
        #expect(Double(tally.covered) >= 0.95 * count && Double(tally.changed) <= 0.005 * count, "\(tally)")
    }

    /// Earlier looks are computed again with conversions that have come since, up to 20 days after the exposure.
    @Test func conversionsThatComeLateAreNoErrors() {
        var random = SplitMix(state: 4)
        let (days, experiments) = (40, rounds(40, thorough: 1000))
        let test = EffectTest(.alwaysValid(plannedVisitors: 128 * days))
        var errors = 0
        for _ in 0..<experiments {
            // By arm, the conversions of each day's 64 visitors by the day on which they come.
            var known = [[Int]](repeating: [0, 0], count: days)
            var coming = [[(day: Int, arm: Int)]](repeating: [], count: days + 20)
            var isError = false
            for day in 0..<days {
                for arm in 0...1 {
                    for _ in 0..<(random.next() & random.next()).nonzeroBitCount {
                        coming[day + Int(random.next() % 20)].append((day, arm))
                    }
                }
                for conversion in coming[day] { known[conversion.day][conversion.arm] += 1 }
                var (visitors, conversions) = ([0, 0], [0, 0])
                let comparisons = known[...day].map { added in
                    for arm in 0...1 {
                        visitors[arm] += 64
                        conversions[arm] += added[arm]
                    }
                    return visitors[0] < MetricHistory.minimumVisitors ? nil : comparison(visitors, conversions)
                }
                isError = isError || test.looks(at: comparisons).last??.pValue ?? 1 <= 0.05
            }
            errors += isError ? 1 : 0
        }
        #expect(Double(errors) <= 0.05 * Double(experiments), "\(errors) of \(experiments)")
    }

    @Test func anEffectIsFoundAndItsIntervalContainsIt() throws {
        let tally = try tally(experiments: rounds(100, thorough: 1000), seed: 2, isEffective: true)
        #expect(tally.errors == tally.experiments, "\(tally)")
        #expect(Double(tally.covered) >= 0.95 * Double(tally.experiments), "\(tally)")
    }

    /// The planned size is that of a fixed horizon for 20 % and 25 % at a power of 80 %.
    @Test(.thorough) func theFactorOfTheAlwaysValidTestGivesItsPower() throws {
        let size = 2 * (try #require(SampleSize().perArm(rate: 0.2, difference: 0.05)))
        let test = EffectTest(.alwaysValid(plannedVisitors: Int(size)))
        var random = SplitMix(state: 3)
        var found = 0
        for _ in 0..<2000 {
            var conversions = [0, 0]
            var comparisons: [Comparison] = []
            for look in 1...Self.looks {
                let visitors = Int(Double(look) / Double(Self.looks) * SampleSize.alwaysValidFactor * size / 2)
                let before = comparisons.last?.control.visitors ?? 0
                for _ in before..<visitors {
                    let (control, treatment) = (random.next(), random.next())
                    conversions[0] += Double(control >> 11) < 0.2 * 0x1p53 ? 1 : 0
                    conversions[1] += Double(treatment >> 11) < 0.25 * 0x1p53 ? 1 : 0
                }
                comparisons.append(comparison([visitors, visitors], conversions))
            }
            let looks = test.looks(at: comparisons.map { $0.control.visitors < 100 ? nil : $0 })
            found += looks.last??.pValue ?? 1 <= 0.05 ? 1 : 0
        }
        #expect(found >= 1560, "\(found) of 2000")
    }
}
