package import TurnoutEngine

/// Reads the user from the body of an evaluation request.
package enum EvaluationContext {
    /// Reads `{"context": {"targetingKey": "ada", "country": "US"}}`. The targeting key is the user's id, and the other
    /// members are attributes; objects and arrays are left out, because no audience can have conditions for them.
    ///
    /// - Throws: ``EvaluationFailure`` with the code of the protocol.
    package static func user(_ body: [UInt8]) throws(EvaluationFailure) -> User {
        guard !body.isEmpty else { throw .targetingKeyMissing }
        let document: JSONValue
        do throws(JSONError) { document = try parsed(body) } catch {
            throw EvaluationFailure(.parseError, "the body is not JSON: line \(error.line): \(error.message)")
        }
        guard case .object(let members) = document else {
            throw EvaluationFailure(.parseError, "the body is not an object")
        }
        switch members["context"] {
        case nil, .null: throw .targetingKeyMissing
        case .object(let context): return try user(context)
        default: throw EvaluationFailure(.invalidContext, "\"context\" is not an object")
        }
    }

    private static func parsed(_ body: [UInt8]) throws(JSONError) -> JSONValue {
        do throws(JSONError) { return try JSONValue(parsing: body) } catch {
            guard let repaired = body.repairedJSON else { throw error }
            return try JSONValue(parsing: repaired)
        }
    }

    private static func user(_ context: [String: JSONValue]) throws(EvaluationFailure) -> User {
        let id: String
        switch context["targetingKey"] {
        case .string(let text) where !text.isEmpty: id = text
        case nil, .null, .string: throw .targetingKeyMissing
        default: throw EvaluationFailure(.invalidContext, "\"targetingKey\" is not a string")
        }
        var attributes = Attributes(capacity: context.count)
        for (name, value) in context where name != "targetingKey" {
            switch value {
            case .object, .array: break
            default: attributes.add(name, AttributeValue(value))
            }
        }
        return User(id, attributes: attributes)
    }
}

/// Why a flag cannot be evaluated, in the terms of the protocol.
package struct EvaluationFailure: Error, Sendable, Equatable {
    /// The codes of the protocol.
    package enum Code: String, Sendable {
        /// The body is not JSON.
        case parseError = "PARSE_ERROR"
        /// The context names no user.
        case targetingKeyMissing = "TARGETING_KEY_MISSING"
        /// The context is not an object, or its targeting key not a string.
        case invalidContext = "INVALID_CONTEXT"
        /// There is no such flag or variable.
        case flagNotFound = "FLAG_NOT_FOUND"
        /// The decision failed for another reason.
        case general = "GENERAL"
    }

    package let code: Code
    /// The problem, for people. Clients require it.
    package let details: String

    init(_ code: Code, _ details: String) {
        self.code = code
        self.details = details
    }

    static let targetingKeyMissing = EvaluationFailure(
        .targetingKeyMissing, "the context has no \"targetingKey\": flags are decided for a user")
}
