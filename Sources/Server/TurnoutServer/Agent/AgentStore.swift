import TurnoutClient
import TurnoutEngine

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
