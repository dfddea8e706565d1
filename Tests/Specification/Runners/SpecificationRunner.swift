import TurnoutEngine

/// Something that can run a case: it has a project, one user and their profile, and lists everything that happens.
protocol SpecificationRunner {
    /// Prepares a case.
    ///
    /// - Throws: Why the datafile is refused.
    init(_ input: JSONValue, datafile: [UInt8]?) throws(SpecificationFailure)

    /// Runs the case's operation and returns its result.
    mutating func run() async throws(SpecificationFailure) -> JSONValue

    /// Ends the case. From now on the lists below are complete.
    func finish()

    /// The entry of `decisions` of each impression.
    var impressions: [JSONValue] { get }
    /// Type, user and contents of each decision notification.
    var notifications: [JSONValue] { get }
    /// The profiles that were saved.
    var saves: [JSONValue] { get }
    /// How often a profile was asked for.
    var lookups: Int { get }
    /// What the service for predictions was asked.
    var predictionCalls: [JSONValue] { get }
    /// What setting the forced variations of the case returned.
    var forcedVariationResults: [JSONValue] { get }
}

extension SpecificationRunner {
    func finish() {}
}

/// The text of an error.
struct SpecificationFailure: Error { let text: String }
