import TestSupport
import TurnoutClient
import TurnoutServer

/// A server of an engine for events.
protocol EngineServer: AnyObject, Sendable {
    typealias Failure = EngineServerFailure

    /// A change of the table after which it refuses the visitor "bad", and a part of its words then.
    var refusal: (statement: String, words: String) { get }
    func engine(over transport: any Transport) -> (any EventEngine)?
    /// Starts it, or starts it again with its files.
    func start() async throws
    /// Ends it at once.
    func kill()
    /// The response to a statement, without the last line break.
    @discardableResult func query(_ statement: String) async throws -> String
}

struct EngineServerFailure: Error, CustomStringConvertible { let description: String }

/// The engines that are tested in the same way.
enum EngineKind: CaseIterable {
    case clickHouse
    #if PostgreSQL
        case postgreSQL
    #endif

    func server() async throws -> any EngineServer {
        switch self {
        case .clickHouse: try await ClickHouse()
        #if PostgreSQL
            case .postgreSQL: try await PostgreSQL()
        #endif
        }
    }
}
