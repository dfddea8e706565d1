import Foundation

/// Values that independent packages computed; the file says which.
struct GoldenValues: Decodable {
    static let file: Result<GoldenValues, any Error> = Result {
        let path = URL(filePath: #filePath).deletingLastPathComponent().appending(
            path: "Fixtures/golden-statistics.json")
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        return try decoder.decode(GoldenValues.self, from: Data(contentsOf: path))
    }

    struct Group<Row: Decodable & Sendable>: Decodable { let rows: [Row] }

    struct ChiSquareRow: Decodable { let counts: [Int], weights: [Double], chi2: Double, df: Int, p: Double }
    struct SequentialRatioRow: Decodable {
        let increments: [[Int]], theta: [Double], k: Double
        let logBayesFactor: [Double], pNow: [Double], pRunningMin: [Double]
    }
    struct WelchRow: Decodable {
        let control: [Double], treatment: [Double], diff: Double, df: Double, p: Double, ci: [Double]
    }
    struct MixtureRow: Decodable {
        let d: Double, v: Double, tau2: Double, p: Double, halfWidth05: Double, halfWidth10: Double
    }
    struct FiellerRow: Decodable {
        let control: [Double], treatment: [Double], alpha: Double
        let z: Double, g: Double, lift: Double, fieller: [Double]?, delta: [Double]
    }
    struct AdjustmentRow: Decodable { let p: [Double], q: Double, adjusted: [Double], rejected: [Bool] }
    struct ProportionSizeRow: Decodable {
        let baseline: Double, delta: Double, alpha: Double, power: Double, unpooled: Double
    }
    struct MeanSizeRow: Decodable {
        let sd: Double, delta: Double, alpha: Double, power: Double, ratio: Double, nControl: Double
    }
    struct SpecialFunctions: Decodable {
        let normalQuantile: [[Double]], normalUpper: [[Double]], tUpper: [[Double]], chi2Upper: [[Double]]
        let betaCdf: [[Double]]
    }
    struct SumRow: Decodable { let values: [Double], sum: Double }
    struct WinsorisingRow: Decodable {
        let q: Double, cap: Double, cappedCount: Int, mean: Double, variance: Double, meanUncapped: Double
    }
    /// A comparison of two arms: of conversions and visitors, or of mean, standard deviation and visitors.
    struct ComparisonRow: Decodable {
        let control: [Double], treatment: [Double], kind: String, test: String, nStar: Int?, alpha: Double
        let expected: Double, ci: [Double], p: Double
    }
    struct Users: Decodable {
        struct Estimate: Decodable {
            let control: Double, treatment: Double, effectSize: Double
            let effectSizeCiLower: Double, effectSizeCiUpper: Double, pvalue: Double
        }
        let mean: Estimate, ratio: Estimate, cuped: Estimate, cupedThetaAllVisitorsTogether: Double
    }
    struct OtherUsers: Decodable {
        struct Result: Decodable { let nStar: Int?, expected: Double, ci: [Double], p: Double }
        struct Estimate: Decodable {
            let controlMean: Double, controlVariance: Double, treatmentMean: Double, treatmentVariance: Double
            let fixedAbsolute: Result, sequentialAbsolute: Result, fixedRelative: Result, sequentialRelative: Result

            enum CodingKeys: String, CodingKey {
                case controlMean, controlVariance, treatmentMean, treatmentVariance
                case fixedAbsolute = "fixed absolute", sequentialAbsolute = "sequential absolute"
                case fixedRelative = "fixed relative", sequentialRelative = "sequential relative"
            }
        }
        let mean: Estimate, ratio: Estimate, cuped: Estimate, theta: Double
    }

    let srm: Group<ChiSquareRow>, srmSequential: Group<SequentialRatioRow>
    let welch: Group<WelchRow>, msprt: Group<MixtureRow>, fieller: Group<FiellerRow>
    let proportions: Group<ComparisonRow>, means: Group<ComparisonRow>
    let benjaminiHochberg: Group<AdjustmentRow>
    let powerProportions: Group<ProportionSizeRow>, powerMeans: Group<MeanSizeRow>
    let special: SpecialFunctions, exactSums: Group<SumRow>, winsorise: Group<WinsorisingRow>
    let users: Users, usersGbstats: OtherUsers
}

/// Whether two numbers are equal to nine digits, or closer than 1e-9 of a scale.
func isClose(_ number: Double?, _ expected: Double, scale: Double = 0) -> Bool {
    number.map { abs($0 - expected) <= 1e-9 * max(abs(expected), scale) } ?? false
}

func isClose(_ interval: Interval?, _ expected: [Double]) -> Bool {
    let width = abs(expected[1] - expected[0])
    return isClose(interval?.lower, expected[0], scale: width) && isClose(interval?.upper, expected[1], scale: width)
}

extension Sample {
    /// The arm of a row: mean, standard deviation and visitors.
    init(_ row: [Double]) { self.init(visitors: Int(row[2]), mean: row[0], variance: row[1] * row[1]) }
}
