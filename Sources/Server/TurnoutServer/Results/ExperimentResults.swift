/// What an experiment has shown so far. The same events give the same value, in whatever order they arrived.
///
/// Final results are kept as JSON, so a member that is added must be optional.
package struct ExperimentResults: Sendable, Equatable, Decodable {
    /// What can be said. The first case that applies, except that ``noData`` is also said of arms that do not differ.
    package enum State: String, Sendable, Decodable {
        /// The results cannot be computed: the verdict says why.
        case unavailable
        /// No visitor was exposed yet, or no two visitors of an arm differ by the primary metric.
        case noData
        /// The arms have other shares of the visitors than planned: something loses visitors of an arm, and no
        /// difference between the arms can be trusted.
        case ratioIsOff
        /// There is no second arm to compare with.
        case oneArm
        /// The control, or each other arm, has too few visitors to be compared.
        case notEnough
        /// There is no metric to compare by.
        case noMetric
        /// A variation is worse than the control by the primary metric.
        case harmed
        /// No single effect of a variation explains what was seen from day to day.
        case effectHasChanged
        /// A variation is better than the control by the primary metric.
        case better
        /// The intervals of the primary metric include zero.
        case undecided
    }

    /// The size that is assumed for an experiment without a plan.
    package static let standardSize = 5_000
    /// The probability that an experiment without effects is called better or harmed, whenever it is looked at.
    package static let alpha = 0.05
    /// The share of secondary metrics called significant that may be mistakes.
    package static let falseDiscoveryRate = 0.1

    package var experiment: Experiment
    /// When they were computed, in milliseconds since 1970; nil if that is not known. Not in ``json``: the same events
    /// have the same bytes.
    package var computed: Int64?
    /// Whether they stay as they are.
    var isFinal: Bool { experiment.finalSince.map { $0 <= computed ?? 0 } ?? false }
    package var state = State.noData
    /// The result in one sentence.
    package var verdict = ""
    /// Which events are missing; nil if none are.
    package var note: String?
    /// The UTC day of the last exposure, in days since 1970; nil without one.
    package var lastDay: Int64?
    /// The days until the planned number of visitors, at the rate of the last week; nil if it is reached or not known.
    package var daysToGo: Int?
    package var arms: [Arm] = []
    package var ratio: Ratio?
    /// The primary metric, then the others.
    package var metrics: [Metric] = []
    /// What was not counted.
    package var leftOut: [LeftOut] = []
    /// Where the exposures come from, if the ratio is off.
    package var sources: [Source] = []

    /// The experiment, as the datafiles named it last.
    package struct Experiment: Sendable, Equatable, Decodable {
        package var id: String
        package var key: String
        package var flag: String?
        package var environment: String
        package var projectID: String
        package var isRunning: Bool
        /// When it first ran, and when it stopped, in milliseconds since 1970.
        package var start: Int64?
        package var stop: Int64?
        /// From when on results of a stopped experiment stay as they are: events that count then arrive no longer.
        package var finalSince: Int64?
        /// The number of visitors of all arms together at which intervals are narrowest.
        package var plannedVisitors: Int
        /// Whether the project file has that number. Otherwise it is ``ExperimentResults/standardSize``.
        package var isPlanned: Bool
    }

    /// A variation, with the visitors that count.
    package struct Arm: Sendable, Equatable, Decodable {
        package var key: String
        package var id: String
        package var visitors: Int
        /// The number of visitors up to and including each day with an exposure.
        package var byDay: [DayCount]
    }

    package struct DayCount: Sendable, Equatable, Decodable {
        /// In days since 1970.
        package var day: Int64
        package var visitors: Int
    }

    /// Whether the arms have the shares of visitors that were planned.
    package struct Ratio: Sendable, Equatable, Decodable {
        package var isOff: Bool
        /// One period for each planned split.
        package var periods: [Period]

        package struct Period: Sendable, Equatable, Decodable {
            /// The start in milliseconds since 1970.
            package var since: Int64
            /// The planned shares of the arms, which add up to 1.
            package var shares: [Double]
            package var visitors: [Int]
            /// The p-value of the sequential test, which decides: it may be looked at every day.
            package var p: Double
            /// The p-value of Pearson's chi-square test, which is valid for one look.
            package var chiSquareP: Double
        }
    }

    /// The comparison of the arms by one metric. The first arm is the control.
    package struct Metric: Sendable, Equatable, Decodable {
        package var name: String
        package var event: String
        /// How the event is counted: `unique`, `total`, `revenue`, `value`, or per conversion.
        package var count: String
        package var decreaseIsBetter: Bool
        package var isPrimary: Bool
        /// The confidence of the intervals, such as 0.95.
        package var confidence: Double
        /// The days after the exposure in which events count; nil for no limit.
        package var windowDays: Double?
        /// The percentile and the value above which a visitor counts as that value.
        package var winsorised: Cap?
        package var means: [Double?]
        package var visitors: [Int]
        /// The visitors whose window has not passed yet, and the conversions whose time is not known: not counted.
        package var unfinished: [Int]
        package var corrected: [Int]
        package var comparisons: [Comparison]
    }

    package struct Cap: Sendable, Equatable, Decodable {
        package var percentile: Double
        package var value: Double
        package var visitors: Int
    }

    /// A variation against the control.
    package struct Comparison: Sendable, Equatable, Decodable {
        package var variation: String
        package var difference: Estimate?
        /// The relative difference; nil if the control's mean is below zero, or too close to it.
        package var lift: Estimate?
        /// Whether p-values and looks are of the lift. Otherwise they are of the difference, because the control's mean
        /// is below zero, or close to it.
        package var isRelative = false
        /// The always-valid p-value: the least of all looks.
        package var p: Double?
        /// The p-value after the correction: for the number of comparisons by the primary metric (Bonferroni), or for
        /// all others together (Benjamini-Hochberg).
        package var adjustedP: Double?
        /// Whether the difference is one for certain: its interval excludes zero.
        package var isSignificant = false
        /// Whether the variation has more than the control.
        package var isIncrease = false
        package var effectHasChanged = false
        /// The share of the variance that the visitors' events before their exposure explain; nil if they are not used.
        package var explainedVariance: Double?
        /// The relative difference without the events before the exposure, if they are used.
        package var unadjustedLift: Estimate?
        /// The always-valid p-value of a difference between the arms before the exposures, which should not exist.
        package var pBefore: Double?
        /// The p-value and the interval of Welch's test, which is valid for one look at the planned end.
        package var fixedHorizonP: Double?
        package var fixedHorizon: Estimate?
        /// The state at the end of each day.
        package var looks: [Look] = []
    }

    package struct Estimate: Sendable, Equatable, Decodable {
        package var value: Double
        package var low: Double
        package var high: Double
    }

    package struct Look: Sendable, Equatable, Decodable {
        package var day: Int64
        package var visitors: Int
        /// The lift or the difference, with the intersection of all intervals so far.
        package var effect: Estimate
        package var p: Double
    }

    package struct LeftOut: Sendable, Equatable, Decodable {
        package var reason: String
        /// What is counted: `visitors`, `exposures` or `conversions`.
        package var unit: String
        package var counts: [Int]
    }

    package struct Source: Sendable, Equatable, Decodable {
        package var variation: String
        package var client: String
        package var version: String
        package var day: Int64
        package var visitors: Int
    }
}
