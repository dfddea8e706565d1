import TurnoutClient
package import TurnoutEngine

/// A store or a cache that the Agent's settings describe.
package enum AgentStore: Sendable, Equatable {
    /// In memory, for about this many entries; nil: the standard number.
    case memory(entries: Int?, lifetime: Duration?)
    /// In Redis, by address, with the values that the Agent writes.
    case redis(address: String, lifetime: Duration?)
    /// In a service of the operator's.
    case rest(AgentProfileService)
    /// There is no such service here; carries its name.
    case unknown(String)
    /// A setting of the service is missing or wrong.
    case unusable(AgentServiceProblem)

    /// Reads the settings of a service.
    init(_ name: String, _ settings: JSONValue) {
        let lifetime = settings.text("timeout").flatMap { Duration(settingTexts: [$0]) }.flatMap {
            $0 > .zero ? $0 : nil
        }
        switch name {
        case "in-memory":
            let entries = settings.number("size") ?? settings.number("capacity")
            self = .memory(entries: entries.flatMap { $0 > 0 ? $0 : nil }, lifetime: lifetime)
        case "redis":
            guard let host = settings.text("host") else {
                self = .unusable(AgentServiceProblem(service: "redis", description: "\"host\" is missing"))
                return
            }
            let password = ["auth_token", "redis_secret", "password"].lazy.compactMap { settings.text($0) }.first
            let user = password.map { ":\($0.percentEncoded)@" } ?? ""
            let database = settings.number("database") ?? 0
            self = .redis(address: "redis://\(user)\(host)/\(database)?layout=agent", lifetime: lifetime)
        case "rest":
            do throws(AgentServiceProblem) { self = .rest(try AgentProfileService(settings)) } catch {
                self = .unusable(error)
            }
        default: self = .unknown(name)
        }
    }
}

/// A setting of a service that is missing or wrong.
package struct AgentServiceProblem: PrintableError, Equatable {
    package let service: String
    /// Which setting it is. Without its value, which may be secret.
    package let description: String

    package init(service: String, description: String) { (self.service, self.description) = (service, description) }
}

extension AgentServiceMap {
    package var stores: [String: AgentStore] {
        Dictionary(uniqueKeysWithValues: services.map { ($0.key, AgentStore($0.key, $0.value)) })
    }

    /// The store in use; nil if the settings name none.
    package var standardStore: AgentStore? { standard.flatMap { stores[$0] } }
}

extension JSONValue {
    /// The text of a member; nil if it is empty or no text.
    fileprivate func text(_ key: String) -> String? {
        guard case .string(let text)? = self[key], !text.isEmpty else { return nil }
        return text
    }

    fileprivate func number(_ key: String) -> Int? {
        guard case .integer(let value)? = self[key] else { return nil }
        return Int(exactly: value)
    }
}

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
