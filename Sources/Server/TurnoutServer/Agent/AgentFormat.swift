import TurnoutEngine

/// How the value of a setting is written.
struct AgentFormat<Value>: Sendable {
    /// The format, for errors: "a number".
    let name: String
    /// Reads a value; nil if it is malformed.
    let read: @Sendable (String) -> Value?

    /// The format of the same value where it may be missing.
    fileprivate var optional: AgentFormat<Value?> {
        AgentFormat<Value?>(name: name) { text in read(text).map { .some($0) } }
    }
}

extension AgentFormat<String> {
    static var text: Self { Self(name: "a text") { $0 } }
}

extension AgentFormat<String?> {
    static var optionalText: Self { AgentFormat<String>.text.optional }
}

extension AgentFormat<Bool> {
    static var boolean: Self {
        Self(name: "true or false") { text in
            switch text.lowercased() {
            case "true", "t", "1": true
            case "false", "f", "0": false
            default: nil
            }
        }
    }
}

extension AgentFormat<Bool?> {
    static var optionalBoolean: Self { AgentFormat<Bool>.boolean.optional }
}

extension AgentFormat<Int> {
    static var count: Self { Self(name: "a number of 0 or more") { Int($0).flatMap { $0 >= 0 ? $0 : nil } } }
}

extension AgentFormat<Int?> {
    static var optionalCount: Self { AgentFormat<Int>.count.optional }
}

extension AgentFormat<UInt16?> {
    static var port: Self { Self(name: "a port") { text in UInt16(text).map { .some($0) } } }
}

extension AgentFormat<[String]> {
    static var list: Self {
        Self(name: "a list") { text in text.split(separator: ",").map { String($0).trimmingBlanks } }
    }
}

extension AgentFormat<[String]?> {
    static var optionalList: Self { AgentFormat<[String]>.list.optional }
}

extension AgentFormat<Duration> {
    static var duration: Self { Self(name: "a duration such as 1m30s") { Duration(settingTexts: [$0]) } }
}

extension AgentFormat<Duration?> {
    static var optionalDuration: Self { AgentFormat<Duration>.duration.optional }
}

extension AgentFormat<[[UInt8]]> {
    /// Secrets in base64.
    static var secrets: Self {
        Self(name: "base64, separated by commas") { text in
            let parts = text.split(separator: ",").map { Base64.standard.decode(String($0).trimmingBlanks) }
            return parts.isEmpty || parts.contains { $0?.isEmpty != false } ? nil : parts.compactMap(\.self)
        }
    }
}

extension AgentFormat<[AgentAuthorization.Client]> {
    static var credentials: Self {
        Self(name: "a JSON list of clients with id, secretHash and sdkKeys") { text in
            guard case .array(let elements)? = try? JSONValue(parsing: text) else { return nil }
            let clients = elements.map { element -> AgentAuthorization.Client? in
                guard case .string(let id)? = element["id"], case .string(let hash)? = element["secretHash"],
                    let hash = Base64.standard.decode(hash), let keys = (element["sdkKeys"] ?? .array([])).strings
                else { return nil }
                return AgentAuthorization.Client(id: id, secretHash: hash, sdkKeys: keys)
            }
            return clients.contains { $0 == nil } ? nil : clients.compactMap(\.self)
        }
    }
}

extension AgentFormat<[Int64: AgentWebhookProject]> {
    static var webhookProjects: Self {
        Self(name: "a JSON object of projects with sdkKeys and secret") { text in
            guard case .object(let members)? = try? JSONValue(parsing: text) else { return nil }
            var projects: [Int64: AgentWebhookProject] = [:]
            for (id, project) in members {
                guard let id = Int64(id), let keys = (project["sdkKeys"] ?? .array([])).strings else { return nil }
                let skips = project["skipSignatureCheck"] == .bool(true)
                guard case .string(let secret) = project["secret"] ?? .string(""), skips || !secret.isEmpty else {
                    return nil
                }
                projects[id] = AgentWebhookProject(sdkKeys: keys, secret: secret, skipsSignature: skips)
            }
            return projects
        }
    }
}

extension AgentFormat<AgentServiceMap> {
    static var services: Self {
        Self(name: "a JSON object with default and services") { text in
            guard let value = try? JSONValue(parsing: text), case .object = value else { return nil }
            var map = AgentServiceMap()
            if case .string(let name)? = value["default"], !name.isEmpty { map.standard = name }
            if case .object(let services)? = value["services"] { map.services = services }
            if let standard = map.standard, map.services[standard] == nil { return nil }
            return map
        }
    }
}

extension JSONValue {
    /// The strings of a list; nil if it is not a list of strings.
    fileprivate var strings: [String]? {
        guard case .array(let elements) = self else { return nil }
        let strings = elements.compactMap { if case .string(let text) = $0 { text } else { nil } }
        return strings.count == elements.count ? strings : nil
    }
}
