/// How many visitors an experiment needs, and how many of its metrics may be called an effect.
@Suite struct PlanningTests {
    private let golden: GoldenValues

    init() throws { golden = try GoldenValues.file.get() }

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
