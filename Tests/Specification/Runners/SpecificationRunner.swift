/// Runs a case with one project and one user's profile, and records everything that happens.
protocol SpecificationRunner {
    /// Prepares a case.
    ///
    /// - Throws: The error of the datafile.
    init(_ input: JSONValue, datafile: [UInt8]?) throws(SpecificationFailure)

    /// Runs the case's operation and returns its result.
    mutating func run() async throws(SpecificationFailure) -> JSONValue

    /// Ends the case. The lists below are complete afterwards.
    func finish()

    /// The entry of `decisions` of each impression.
    var impressions: [JSONValue] { get }
    /// The type, user and contents of each decision notification.
    var notifications: [JSONValue] { get }
    /// The saved profiles.
    var saves: [JSONValue] { get }
    /// The number of profile lookups.
    var lookups: Int { get }
    /// The requests to the prediction service.
    var predictionCalls: [JSONValue] { get }
    /// The results of setting the forced variations of the case.
    var forcedVariationResults: [JSONValue] { get }
}

extension SpecificationRunner { func finish() {} }

/// The text of an error.
struct SpecificationFailure: Error { let text: String }
