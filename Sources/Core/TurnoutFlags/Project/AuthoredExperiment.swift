package import TurnoutEngine

/// A rule that divides a share of an audience among variations, in order to compare them.
package struct AuthoredExperiment: AuthoredPart, Sendable {
    /// How it distributes its users.
    package enum Kind: Sendable, Equatable {
        /// A fixed split; `type` is what the datafile says of it. Default: `ab`.
        case split(type: Rule.ExperimentType)
        /// A contextual bandit, which asks for a prediction based on attributes.
        case bandit(attributes: [String])
        /// A feature rollout: users outside the traffic get the flag's everyone-else variation through this rule.
        case rollout
    }

    /// The key, unique in the environment.
    package var key: String
    /// The key it had before, whose ids it keeps.
    package var formerKey: String?
    /// How it distributes its users. Default: an A/B test.
    package var kind = Kind.split(type: .abTest)
    /// Whether it applies: running, paused and so on. Default: running.
    package var status = Rule.Status.running
    /// The users it is for; nil for all.
    package var audience: AuthoredCondition?
    /// The share of these users who take part. Default: all.
    package var traffic = TrafficShare.all
    /// The variations and how the traffic is divided among them, in the order of the file.
    package var split: [SplitShare] = []
    /// The variations in the order of the file, after ``split`` was sorted; results compare with the first one.
    package var fileOrder: [String] = []
    /// Variations of this rule alone, which replace the flag's.
    package var variations: [AuthoredVariation] = []
    /// The users with a fixed variation.
    package var allowList: [AllowListEntry] = []
    /// The metrics; the first one is the primary one.
    package var metrics: [ExperimentMetric] = []
    /// Its size; nil if none was fixed.
    package var plan: ExperimentPlan?
    /// Codes of lint findings that are not reported.
    package var ignoredFindings: [IgnoredFinding] = []
    package var origin = SourceOrigin()
    /// Members that are written into the datafile's experiment as they are.
    package var verbatim: [String: JSONValue] = [:]

    /// Creates an experiment with everyone.
    package init(key: String, origin: SourceOrigin = SourceOrigin()) {
        self.key = key
        self.origin = origin
    }

    /// What results need to know of it.
    var design: ExperimentDesign {
        var design = ExperimentDesign()
        (design.metrics, design.plan, design.variations) = (metrics, plan, fileOrder)
        return design
    }
}

/// The weight of a variation in an experiment.
package struct SplitShare: Sendable, Equatable {
    /// The key of the variation.
    package var variation: String
    /// The weight in hundredths, relative to the other weights: `50` and `33.33` are 5,000 and 3,333.
    /// The shares of a bandit, and of a split that is written as a list, all have 100.
    package var weight: Int
    package var origin = SourceOrigin()

    package init(_ variation: String, weight: Int, origin: SourceOrigin = SourceOrigin()) {
        self.variation = variation
        self.weight = weight
        self.origin = origin
    }
}

/// Users who always get a variation.
package struct AllowListEntry: Sendable, Equatable {
    /// The key of the variation.
    package var variation: String
    /// The ids of the users.
    package var userIDs: [String]
    package var origin = SourceOrigin()

    package init(_ variation: String, userIDs: [String], origin: SourceOrigin = SourceOrigin()) {
        self.variation = variation
        self.userIDs = userIDs
        self.origin = origin
    }
}

/// A share of traffic in whole buckets of 0.01 %.
package struct TrafficShare: Sendable, Hashable, Comparable {
    /// The number of buckets, 0 to 10,000.
    package var buckets: Int

    package init(buckets: Int) { self.buckets = buckets }

    package static let all = TrafficShare(buckets: Bucketing.bucketCount)

    package static func < (left: TrafficShare, right: TrafficShare) -> Bool { left.buckets < right.buckets }
}

/// Decimal numbers with at most two decimals, as percentages and weights have, in whole hundredths.
package enum Hundredths {
    /// Why a text is not such a number.
    package enum Failure: Error, Sendable {
        /// It is not a number, or is negative.
        case notANumber
        /// It has more than two decimals.
        case tooFine
        /// It is larger than a billion.
        case tooLarge
    }

    /// The hundredths of a number such as `50`, `12.5` or `0.01`.
    package static func parse(_ text: Substring) throws(Failure) -> Int {
        let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        let isNumber = parts.allSatisfy { part in
            !part.isEmpty && part.allSatisfy { $0 &- UInt8(ascii: "0") < 10 }
        }
        guard isNumber, parts.count <= 2, let whole = parts.first else { throw .notANumber }
        let decimals = parts.count == 2 ? Array(parts[1]) : []
        guard decimals.count <= 2 else { throw .tooFine }
        guard whole.count <= 9 else { throw .tooLarge }
        let digits = whole + decimals + Array(repeating: UInt8(ascii: "0"), count: 2 - decimals.count)
        return digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
    }

    /// The shortest spelling: `50`, `12.5`, `0.01`.
    package static func text(_ hundredths: Int) -> String {
        let (whole, rest) = hundredths.quotientAndRemainder(dividingBy: 100)
        let (tenths, last) = abs(rest).quotientAndRemainder(dividingBy: 10)
        let sign = hundredths < 0 && whole == 0 ? "-" : ""
        return "\(sign)\(whole)" + (rest == 0 ? "" : last == 0 ? ".\(tenths)" : ".\(tenths)\(last)")
    }
}
