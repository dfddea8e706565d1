/// Whether visitors were divided as planned.
@Suite struct SampleRatioTests {
    private let golden: GoldenValues

    init() throws { golden = try GoldenValues.file.get() }

    @Test func chiSquare() throws {
        for row in golden.srm.rows {
            let result = try #require(SampleRatioTest(weights: row.weights)).chiSquare(row.counts)
            #expect(isClose(result.statistic, row.chi2) && isClose(result.pValue, row.p), "\(row)")
            #expect(result.degreesOfFreedom == row.df)
        }
    }

    @Test func theSequentialTestNeverTakesBackWhatItShowed() throws {
        for row in golden.srmSequential.rows {
            let test = try #require(SampleRatioTest(weights: row.theta, concentration: row.k))
            var looks: [[Int]] = []
            for increment in row.increments {
                looks.append(looks.last.map { zip($0, increment).map { $0 + $1 } } ?? increment)
            }
            for (look, (factor, p)) in zip(looks, zip(row.logBayesFactor, row.pNow)) {
                #expect(isClose(test.logBayesFactor(look), factor) && isClose(test.pValues(at: [look])[0], p), "\(row)")
            }
            #expect(zip(test.pValues(at: looks), row.pRunningMin).allSatisfy { isClose($0, $1) }, "\(row)")
        }
    }

    /// mpmath 1.4.1 with 40 digits, scipy 1.17.1: many visitors, and an arm without traffic.
    @Test(arguments: [
        ([1, 1], [821_588, 815_482], 6.532367670619091, 22.77436884189436, 1.8217928726191858e-06),
        ([1, 1, 1], [10_000_100, 9_998_000, 10_001_900], -12.237206857785159, 0.762, 0.6831778896198997),
        ([90, 5, 5], [90_210, 4800, 4990], -2.6169941421864635, 8.51, 0.014193090745577673),
        ([1, 0, 1], [50, 0, 61], -0.08643415877645343, 1.0900900900900900, 0.29645124868184547),
    ])
    func otherValues(weights: [Double], visitors: [Int], factor: Double, statistic: Double, p: Double) throws {
        let test = try #require(SampleRatioTest(weights: weights))
        #expect(isClose(test.logBayesFactor(visitors), factor))
        #expect(isClose(test.chiSquare(visitors).statistic, statistic))
        #expect(isClose(test.chiSquare(visitors).pValue, p))
    }

    @Test func plansThatCannotBeMissedOrKept() throws {
        #expect(SampleRatioTest(weights: []) == nil && SampleRatioTest(weights: [0, -1, .nan]) == nil)
        #expect(SampleRatioTest(weights: [.infinity, 1]) == nil)
        let test = try #require(SampleRatioTest(weights: [1, 0]))
        #expect(test.pValues(at: [[0, 0], [500, 0]]) == [1, 1] && test.chiSquare([500, 0]).pValue == 1)
        #expect(test.pValues(at: [[500, 1], [600, 1]]) == [0, 0] && test.chiSquare([500, 1]).pValue == 0)
        let both = try #require(SampleRatioTest(weights: [1, 1]))
        #expect(both.pValues(at: [[0, 0]]) == [1] && both.chiSquare([0, 0]).pValue == 1)
        #expect(both.pValues(at: [[.max, 0]]) == [0] && both.chiSquare([.max, 0]).pValue == 0)
        #expect(both.pValues(at: [[.max, .max]]) == [1])
    }

    // MARK: Planning
    // How many visitors an experiment needs, and how many of its metrics may be called an effect.

    @Test func falseDiscoveryRate() {
        for row in golden.benjaminiHochberg.rows {
            let adjusted = FalseDiscoveryRate.adjusted(row.p)
            #expect(zip(adjusted, row.adjusted).allSatisfy { isClose($0, $1) }, "\(row)")
            #expect(adjusted.map { $0 <= row.q } == row.rejected, "\(row)")
        }
        #expect(FalseDiscoveryRate.adjusted([]) == [] && FalseDiscoveryRate.adjusted([0.3]) == [0.3])
        #expect(FalseDiscoveryRate.adjusted([0, 1, 0.5, 0.5]) == [0, 1, 2.0 / 3, 2.0 / 3])
    }

    @Test func sampleSizes() {
        for row in golden.powerProportions.rows {
            let size = SampleSize(alpha: row.alpha, power: row.power)
            #expect(isClose(size.perArm(rate: row.baseline, difference: row.delta), row.unpooled), "\(row)")
        }
        for row in golden.powerMeans.rows {
            let size = SampleSize(alpha: row.alpha, power: row.power)
            let control = size.ofControl(deviation: row.sd, difference: row.delta, ratio: row.ratio)
            #expect(isClose(control, row.nControl), "\(row) \(String(describing: control))")
        }
        let size = SampleSize()
        #expect(size.perArm(rate: 0.2, difference: 0) == nil && size.perArm(rate: 0.9, difference: 0.2) == nil)
        #expect(size.ofControl(deviation: 1, difference: 0) == nil)
        #expect(size.ofControl(deviation: 1, difference: .nan) == nil)
    }
}
