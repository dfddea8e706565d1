import TurnoutClient

/// A database for the events of all servers, such as ClickHouse.
///
/// Functions are called concurrently. A row may be written more than once, by any server: readers see the event once.
package protocol EventEngine: Sendable {
    /// The addresses, without credentials, for messages.
    var description: String { get }
    /// The statements that create the tables and views, as ``setUp()`` runs them.
    var setupStatements: [String] { get }
    /// Creates the tables and views that are missing.
    func setUp() async throws(EngineError)
    /// Checks that the engine answers, and has the tables that rows need.
    func check() async throws(EngineError)
    /// Writes rows. When the call returns, the engine has all of them; after an error, perhaps some.
    func write(_ batch: EngineBatch) async throws(EngineError)
    /// The rows that a query finds.
    func result(of query: EngineQuery) async throws(EngineError) -> EngineResult
    /// Deletes all rows of some users, and waits until no query finds them.
    func forget(_ users: [String]) async throws(EngineError)
}

/// Why an engine did not do something.
package enum EngineError: Error, Sendable, Equatable, PrintableError {
    /// It refuses the content of rows, with these words: a repetition would fail, too.
    case refused(String)
    /// It does not work now, or is not set up.
    case failed(String)

    /// What a request gets that needs the engine.
    static let advice = "the engine, which has the events, does not answer: the server's log says why; try again later"

    package var description: String {
        switch self {
        case .refused(let words), .failed(let words): words
        }
    }
}
