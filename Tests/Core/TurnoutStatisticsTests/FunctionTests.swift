/// The special functions, also far out; values without a group in the file are from mpmath 1.4.1 and scipy 1.17.1.
@Suite struct FunctionTests {
    private let golden: GoldenValues.SpecialFunctions

    init() throws { golden = try GoldenValues.file.get().special }

    @Test func tailsAndQuantilesOfTheNormalDistribution() {
        for row in golden.normalUpper + [[-3.2, 0.9993128620620841], [0, 0.5], [37, 5.725571222524577e-300]] {
            #expect(isClose(Normal.upperTail(row[0]), row[1]), "\(row)")
        }
        for row in golden.normalQuantile {
            #expect(isClose(Normal.quantile(upperTail: 1 - row[0]), row[1], scale: 1), "\(row)")
        }
        for row in [
            [0.9999, -3.719016485455709], [0.025, 1.9599639845400545], [1e-12, 7.034483825301131],
            [1e-290, 36.420731673207996],
        ] {
            #expect(isClose(Normal.quantile(upperTail: row[0]), row[1]), "\(row)")
        }
        #expect(Normal.quantile(upperTail: 0) == .infinity && Normal.quantile(upperTail: 1) == -.infinity)
        #expect(Normal.quantile(upperTail: .nan).isNaN)
    }

    @Test func tailsAndQuantilesOfStudentsDistribution() {
        let others = [
            [1.5, 3, 0.11529193262241152], [-1.5, 3, 0.8847080673775885], [0.01, 1.3, 0.49666607551169506],
            [1.73, 1e5, 0.041816680324760956], [37, 4000, 2.6881663114915793e-258], [1e5, 2.5, 2.274751923175622e-13],
            [6.5, 250_000.5, 4.023511538590346e-11], [0, 4, 0.5],
        ]
        for row in golden.tUpper + others {
            #expect(isClose(Student.upperTail(row[0], degreesOfFreedom: row[1]), row[2]), "\(row)")
        }
        for row in [
            [0.025, 1, 12.706204736174705], [0.0005, 1.5, 82.84744670365761], [0.975, 2.2, -3.948720749712723],
            [1e-12, 3.3, 4856.132370502925], [0.05, 98_765.4, 1.6448690552646998], [1e-9, 1e7, 5.997812559038371],
            [0.5, 7, 0],
        ] {
            #expect(isClose(Student.quantile(upperTail: row[0], degreesOfFreedom: row[1]), row[2]), "\(row)")
        }
        // With so many degrees of freedom, it is the normal distribution.
        #expect(isClose(Student.upperTail(3, degreesOfFreedom: 1e15), Normal.upperTail(3)))
        #expect(isClose(Student.quantile(upperTail: 1e-4, degreesOfFreedom: 1e15), Normal.quantile(upperTail: 1e-4)))
        #expect(Student.upperTail(.infinity, degreesOfFreedom: 3) == 0)
        #expect(
            Student.upperTail(.nan, degreesOfFreedom: 3).isNaN && Student.upperTail(2, degreesOfFreedom: .nan).isNaN)
    }

    @Test func tailsOfTheChiSquareDistribution() {
        let others = [
            [800, 3, 4.327470814385205e-173], [1e-9, 1, 0.999974768674784], [90, 99, 0.7298344102846511], [0, 5, 1],
            [1500, 500, 1.7082138295394246e-100],
        ]
        for row in golden.chi2Upper + others {
            #expect(isClose(ChiSquare.upperTail(row[0], degreesOfFreedom: Int(row[1])), row[2]), "\(row)")
        }
        #expect(ChiSquare.upperTail(3, degreesOfFreedom: 0) == 1)
        #expect(ChiSquare.upperTail(.infinity, degreesOfFreedom: 2) == 0)
        #expect(ChiSquare.upperTail(.nan, degreesOfFreedom: 2).isNaN)
    }

    @Test func betaFunctionAndDistribution() {
        for row in golden.betaCdf {
            #expect(isClose(Beta(row[0], row[1], at: row[2], complement: 1 - row[2]).lowerTail, row[3]), "\(row)")
        }
        #expect(Beta(2, 3, at: 0, complement: 1).lowerTail == 0 && Beta(2, 3, at: 1, complement: 0).lowerTail == 1)
        for row in [
            [1e7, 0.5, -7.48668287005446], [3e6, 4e6, -4_780_362.991218261], [0.02, 0.3, 3.96850158645189],
            [12.5, 9.75, -15.172069834853115],
        ] {
            #expect(isClose(Gamma.logBeta(row[0], row[1]), row[2]), "\(row)")
            #expect(isClose(Gamma.logBeta(row[1], row[0]), row[2]), "\(row)")
        }
    }

    @Test func sumsAreExactInAnyOrder() throws {
        for row in try GoldenValues.file.get().exactSums.rows {
            for values in [row.values, row.values.reversed(), row.values.sorted()] {
                var sum = ExactSum()
                for value in values { sum.add(value) }
                #expect(sum.value == row.sum, "\(values)")
            }
        }
        // Half a unit, and what lies below it decides.
        for (last, expected) in [(0x1p-80, 0x1p53 + 2), (-0x1p-80, 0x1p53), (0, 0x1p53)] {
            var sum = ExactSum()
            for value in [0x1p53, 1, last] { sum.add(value) }
            #expect(sum.value == expected)
        }
        var product = ExactSum()
        product.add(0x1p53 + 2, times: 0x1p53 - 1)
        product.add(-0x1p53, times: 0x1p53)
        #expect(product.value == 0x1p53 - 2)
        var endless = ExactSum()
        for _ in 0..<3 { endless.add(.greatestFiniteMagnitude) }
        #expect(endless.value.isNaN && ExactSum().value == 0)
    }
}
