import TurnoutClient
import TurnoutEngine

/// A query of a client for the segments of a user.
///
/// ```text
/// query($userId: String, $audiences: [String]) {
///   customer(fs_user_id: $userId) { audiences(subset: $audiences) { edges { node { name state } } } }
/// }
/// ```
///
/// SDKs send the values as variables; earlier ones write them into the query.
struct SegmentQuery: Equatable {
    /// The maximum number of segments to ask for.
    static let maximumSubset = 1_000

    /// The id of the user or of the device.
    let id: String
    /// The segments to tell about; nil for all of the user's.
    let subset: [String]?

    /// Reads the body of a request.
    ///
    /// - Throws: ``SegmentQueryError`` for a query that is not this one; `JSONError` for a body that is not JSON.
    init(body: [UInt8]) throws {
        let root = try JSONValue(parsing: body)
        guard case .string(let text)? = root["query"] else {
            throw SegmentQueryError.syntax("the body has no query")
        }
        try self.init(GraphQLDocument(text), variables: root["variables"] ?? .null)
    }

    private init(_ document: GraphQLDocument, variables: JSONValue) throws(SegmentQueryError) {
        guard document.fields.count == 1, let customer = document.fields.first, customer.name == "customer" else {
            throw .validation("the query must ask for one customer")
        }
        guard customer.fields.count == 1, let audiences = customer["audiences"],
            audiences["edges"]?["node"]?["name"] != nil
        else { throw .validation("the query must ask for the names of the customer's audiences") }
        guard customer.arguments.count == 1, let (name, value) = customer.arguments.first,
            let key = OdpUserKey(rawValue: name)
        else { throw .validation("the customer needs one identifier, fs_user_id or vuid") }
        guard let id = Self.string(value, variables) else { throw .validation("\(name) is not a string") }
        guard SegmentLimits.allows(id), key == .userID || OdpUserKey.isVUID(id) else {
            throw .identifier("the identifier is invalid")
        }
        self.id = id
        subset = try audiences.arguments["subset"].flatMap { (value) throws(SegmentQueryError) in
            try Self.strings(value, variables)
        }
    }

    private static func string(_ value: GraphQLDocument.Value, _ variables: JSONValue) -> String? {
        switch value {
        case .string(let text): text
        case .variable(let name): if case .string(let text)? = variables[name] { text } else { nil }
        case .list, .literal: nil
        }
    }

    /// The names of a subset; nil if it is null.
    private static func strings(
        _ value: GraphQLDocument.Value, _ variables: JSONValue
    ) throws(SegmentQueryError) -> [String]? {
        let names: [String?]
        switch value {
        case .list(let elements): names = elements.map { string($0, variables) }
        case .variable(let name):
            switch variables[name] {
            case .array(let elements)?:
                names = elements.map { if case .string(let text) = $0 { text } else { nil } }
            case nil, .null?: return nil
            default: throw .validation("the subset is not a list of strings")
            }
        case .literal("null"): return nil
        case .literal, .string: throw .validation("the subset is not a list of strings")
        }
        guard names.count <= maximumSubset else { throw .validation("the subset has more than \(maximumSubset) names") }
        guard !names.contains(nil) else { throw .validation("the subset is not a list of strings") }
        return names.compactMap(\.self)
    }
}

/// Why a query has no result. Written into the response as the data platform does.
struct SegmentQueryError: Error, Equatable {
    /// The problem. Contains no personal data.
    let message: String
    let classification: String
    /// A further code, or nil.
    var code: String?

    static func syntax(_ message: String) -> SegmentQueryError {
        .init(message: message, classification: "InvalidSyntax")
    }

    static func validation(_ message: String) -> SegmentQueryError {
        .init(message: message, classification: "ValidationError")
    }

    /// The identifier is invalid, or no user has it.
    static func identifier(_ message: String) -> SegmentQueryError {
        .init(message: message, classification: "DataFetchingException", code: "INVALID_IDENTIFIER_EXCEPTION")
    }
}
