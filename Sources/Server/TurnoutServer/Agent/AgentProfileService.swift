package import TurnoutEngine

/// The Agent's service `rest` for assignments, as its settings describe it.
package struct AgentProfileService: Sendable, Equatable {
    /// How the parameters of a request are sent.
    package enum Method: String, Sendable {
        case get = "GET"
        /// As JSON in the body.
        case post = "POST"
    }

    /// The address to look up assignments.
    package var lookupAddress: String
    /// How they are looked up. Default: `POST`.
    package var lookupMethod = Method.post
    /// The address to store assignments.
    package var saveAddress: String
    /// How they are stored. Default: `POST`.
    package var saveMethod = Method.post
    /// The name of the member with the user's id. Default: `user_id`.
    package var userIDKey = "user_id"
    /// Headers of each request. Default: none.
    package var headers: [String: String] = [:]
    /// Whether decisions do not wait until assignments are stored. Default: false.
    package var isAsync = false

    /// Creates the service at two addresses.
    package init(lookupAddress: String, saveAddress: String) {
        (self.lookupAddress, self.saveAddress) = (lookupAddress, saveAddress)
    }

    /// Reads the settings.
    ///
    /// - Throws: The setting that is missing or wrong.
    package init(_ settings: JSONValue) throws(AgentServiceProblem) {
        func text(_ key: String) -> String {
            if case .string(let text)? = settings[key] { text } else { "" }
        }
        for key in ["host", "lookupPath", "savePath"] where text(key).isEmpty {
            throw AgentServiceProblem(service: "rest", description: "\"\(key)\" is missing")
        }
        self.init(lookupAddress: text("host") + text("lookupPath"), saveAddress: text("host") + text("savePath"))
        for (key, path) in [("lookupMethod", \Self.lookupMethod), ("saveMethod", \Self.saveMethod)]
        where !text(key).isEmpty {
            guard let method = Method(rawValue: text(key)) else {
                throw AgentServiceProblem(service: "rest", description: "\"\(key)\" is neither GET nor POST")
            }
            self[keyPath: path] = method
        }
        if !text("userIDKey").isEmpty { userIDKey = text("userIDKey") }
        if case .object(let members)? = settings["headers"] {
            headers = members.compactMapValues { if case .string(let text) = $0 { text } else { nil } }
        }
        if case .bool(let isAsync)? = settings["async"] { self.isAsync = isAsync }
    }
}
