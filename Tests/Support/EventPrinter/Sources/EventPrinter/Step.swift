import TurnoutClient

/// The parameters of a client.
struct Setup {
    var datafile: String
    var eventsPerRequest: Int
    /// Whether calls use the vendor's interface.
    var isOlder: Bool
}

/// A request sent by a client.
struct SentRequest {
    /// The method and headers, if the interface provides them.
    var method: (name: String, headers: [String: String])?
    var url: String
    var body: String
}

/// One line of the input.
enum Step {
    /// A call for a user.
    enum Call {
        case decide(String, [String])
        case decideSome([String], [String])
        case decideAll([String])
        case track(String, [String: AttributeValue])
    }

    /// Creates the client: `{"datafile": "{…}", "eventsPerRequest": 10, "interface": "optimizely"}`.
    case client(Setup)
    /// Calls the client: `{"user": "ada", "attributes": {…}, "call": "track", "event": "purchase", "tags": {…}}`.
    case call(Call, User)

    init(parsing text: String) throws {
        let line = try JSONValue(parsing: text)
        if case .integer(let count)? = line["eventsPerRequest"] {
            self = .client(
                Setup(
                    datafile: try line.text("datafile"), eventsPerRequest: Int(count),
                    isOlder: try line.text("interface") == "optimizely"))
            return
        }
        let options = line.texts("options")
        let call: Call
        switch try line.text("call") {
        case "decide": call = .decide(try line.text("flag"), options)
        case "decideSome": call = .decideSome(line.texts("flags"), options)
        case "decideAll": call = .decideAll(options)
        case "track": call = .track(try line.text("event"), line.members("tags"))
        case let other: throw StepError.unknown(other)
        }
        self = .call(call, try User(parsing: Array(text.utf8)))
    }
}

enum StepError: Error {
    case missing(String)
    case unknown(String)
}

extension JSONValue {
    fileprivate func text(_ key: String) throws(StepError) -> String {
        guard case .string(let text)? = self[key] else { throw .missing(key) }
        return text
    }

    fileprivate func texts(_ key: String) -> [String] {
        guard case .array(let elements)? = self[key] else { return [] }
        return elements.compactMap { if case .string(let text) = $0 { text } else { nil } }
    }

    fileprivate func members(_ key: String) -> [String: AttributeValue] {
        guard case .object(let members)? = self[key] else { return [:] }
        return members.mapValues { AttributeValue($0) }
    }
}
