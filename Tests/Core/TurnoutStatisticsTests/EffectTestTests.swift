import Foundation

/// Tests of effects and their intervals, against several packages.
@Suite struct EffectTestTests {
    private let golden: GoldenValues

    init() throws { golden = try GoldenValues.file.get() }

    @Test func welch() {
        for row in golden.welch.rows {
            let effect = Comparison(control: Sample(row.control), treatment: Sample(row.treatment)).difference
            let test = EffectTest(.fixedHorizon)
            #expect(isClose(effect.value, row.diff) && isClose(effect.degreesOfFreedom, row.df), "\(row)")
            #expect(isClose(test.pValue(of: effect), row.p) && isClose(test.interval(of: effect), row.ci), "\(row)")
        }
    }

    /// scipy 1.17.1: few visitors, and an arm in which nothing varies.
    @Test(arguments: [
        (
            [1.5, 0.5, 2], [3.25, 2, 3], 2.351247600767754, 0.2664135593151111, [-2.768613265092826, 6.268613265092826]
        ),
        ([0.1, 3, 2], [0.4, 0, 50], 1, 0.9105614780496843, [-26.653930596281278, 27.25393059628128]),
        (
            [-4, 1, 7], [-4.5, 0.25, 6], 6.863112951222667, 0.24306175734809038,
            [-1.429511373228554, 0.42951137322855415]
        ),
    ])
    func welchWithFewVisitors(control: [Double], treatment: [Double], degrees: Double, p: Double, interval: [Double]) {
        let effect = Comparison(control: Sample(control), treatment: Sample(treatment)).difference
        let test = EffectTest(.fixedHorizon)
        #expect(isClose(effect.degreesOfFreedom, degrees) && isClose(test.pValue(of: effect), p))
        #expect(isClose(test.interval(of: effect), interval))
    }

    @Test func proportionsAndMeans() {
        let proportions = golden.proportions.rows.map {
            ($0, Self.proportion($0.control), Self.proportion($0.treatment))
        }
        let means = golden.means.rows.map { ($0, Sample($0.control), Sample($0.treatment)) }
        #expect(proportions.count == 40 && means.count == 18)
        for (row, control, treatment) in proportions + means {
            let comparison = Comparison(control: control, treatment: treatment)
            let effect = row.kind == "absolute" ? comparison.difference : comparison.relativeDifference
            let test = EffectTest(
                row.nStar.map { .alwaysValid(plannedVisitors: $0) } ?? .fixedHorizon, alpha: row.alpha)
            #expect(isClose(effect.value, row.expected, scale: 1e-3), "\(row)")
            #expect(isClose(test.interval(of: effect), row.ci) && isClose(test.pValue(of: effect), row.p), "\(row)")
        }
    }

    /// The estimate of a proportion, as it comes from a distribution.
    private static func proportion(_ row: [Double]) -> Sample {
        let rows = [
            Distribution.Row(arm: 0, count: 2, visitors: Int(row[0])),
            Distribution.Row(arm: 0, visitors: Int(row[1] - row[0])),
        ]
        let history = MetricHistory(Metric(.conversion), in: Distribution(arms: 1, rows: rows))
        return Sample(history.days[0].arms[0], of: history.metric) ?? Sample(visitors: 0, mean: .nan, variance: .nan)
    }

    /// The sequence is the mixture with τ² = v N ρ². Here N is so great that the planned number can be rounded.
    @Test func theSequenceIsTheMixtureOfNormalPriors() {
        for row in golden.msprt.rows {
            for (alpha, halfWidth) in [(0.05, row.halfWidth05), (0.1, row.halfWidth10)] {
                let visitors = 1_000_000_000_000
                let squaredError = row.v * Double(visitors) / 2
                let effect = Comparison(
                    control: Sample(visitors: visitors, mean: 0, variance: squaredError),
                    treatment: Sample(visitors: visitors, mean: row.d, variance: squaredError)
                ).difference
                // The information of one visitor with a planned number of 1.
                let unit = -2 * log(alpha) + log(1 - 2 * log(alpha))
                let planned = (unit * effect.visitors * row.v / row.tau2).rounded()
                let test = EffectTest(.alwaysValid(plannedVisitors: Int(planned)), alpha: alpha)
                #expect(isClose(test.pValue(of: effect), row.p), "\(row)")
                #expect(isClose(test.interval(of: effect), [row.d - halfWidth, row.d + halfWidth]), "\(row)")
            }
        }
    }

    @Test func fieller() {
        for row in golden.fieller.rows {
            let comparison = Comparison(
                control: Sample(visitors: 1_000_000_000_000, mean: row.control[0], variance: row.control[1] * 1e12),
                treatment: Sample(
                    visitors: 1_000_000_000_000, mean: row.treatment[0], variance: row.treatment[1] * 1e12))
            let relative = comparison.relativeDifference
            let linear = row.z * relative.squaredError.squareRoot()
            #expect(isClose(comparison.uncertainty(alpha: row.alpha), row.g), "\(row)")
            #expect(isClose(relative.value, row.lift), "\(row)")
            #expect(isClose(Interval(relative.value - linear, relative.value + linear), row.delta), "\(row)")
            // With so many visitors, Student's quantile is the normal one to nine digits.
            let lift = comparison.lift(by: EffectTest(.fixedHorizon, alpha: row.alpha))
            #expect((lift == nil) == (row.fieller == nil))
            guard let expected = row.g > 0.05 ? row.fieller : row.delta, let lift else { continue }
            #expect(isClose(lift.value, row.lift) && isClose(lift.interval, expected), "\(row)")
        }
    }

    @Test func liftsOfNegativeMeansAndOfWiderTests() throws {
        let control = Sample(visitors: 1000, mean: -2, variance: 100)
        let treatment = Sample(visitors: 1000, mean: -2.3, variance: 120)
        let comparison = Comparison(control: control, treatment: treatment)
        let mirrored = Comparison(
            control: Sample(visitors: 1000, mean: 2, variance: 100),
            treatment: Sample(visitors: 1000, mean: 2.3, variance: 120))
        #expect(comparison.uncertainty(alpha: 0.05) > 0.05)
        let test = EffectTest(.fixedHorizon)
        let lift = try #require(comparison.lift(by: test))
        #expect(lift == mirrored.lift(by: test))
        // The sequence is wider, so that it cannot tell this mean from 0 although the quantile can.
        let sequence = EffectTest(.alwaysValid(plannedVisitors: 1_000_000))
        #expect(sequence.criticalValue(of: comparison.difference) > 6.4)
        #expect(comparison.lift(by: sequence) == nil)
    }
}
