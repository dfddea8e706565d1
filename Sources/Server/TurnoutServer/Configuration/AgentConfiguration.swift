package import TurnoutEngine

/// The settings of the vendor's Agent that other parts of this server do not have.
package struct AgentConfiguration: Sendable, Equatable {
    /// The end of the paths that report the health. Default: `/health`.
    package var healthPath = "/health"

    /// Whether variations can be overridden for users. Default: false.
    package var allowsOverrides = false
    /// Whether notifications can be streamed; they contain personal data. Default: false.
    package var allowsNotifications = false
    /// The maximum number of operations in a batch. Default: 500.
    package var batchLimit = 500
    /// The number of operations of a batch that run at the same time. Default: 10.
    package var batchConcurrency = 10
    /// The credentials and tokens of clients.
    package var apiAuthorization = AgentAuthorization()
    /// The credentials and tokens of administrators.
    package var adminAuthorization = AgentAuthorization()
    /// The projects that may announce changes, by project id.
    package var webhookProjects: [Int64: AgentWebhookProject] = [:]

    /// The address of the prediction service, with `%s` for the rule's id; nil: this server's own predictions.
    package var predictionAddress: String?
    /// The time limit of a prediction; nil: the standard one.
    package var predictionTimeout: Duration?
    /// Whether segments are neither looked up nor reported. Default: false.
    package var disablesSegments = false
    /// The time limit for looking up segments; nil: the standard one.
    package var segmentsTimeout: Duration?
    package var profileServices = AgentServiceMap()
    package var segmentCaches = AgentServiceMap()

    package init() {}
}

/// A project that may announce changes of its datafile.
package struct AgentWebhookProject: Sendable, Equatable {
    /// The SDK keys whose datafiles are requested again.
    package var sdkKeys: [String]
    package var secret: String
    /// Whether signatures are not checked. Default: false.
    package var skipsSignature = false

    package init(sdkKeys: [String], secret: String, skipsSignature: Bool = false) {
        self.sdkKeys = sdkKeys
        self.secret = secret
        self.skipsSignature = skipsSignature
    }
}

/// Services by name, with their settings as JSON: `{"default": "redis", "services": {"redis": {"host": "…"}}}`.
package struct AgentServiceMap: Sendable, Equatable {
    /// The name of the service in use; nil: none.
    package var standard: String?
    package var services: [String: JSONValue] = [:]
}

// MARK: Values in the environment

extension AgentAuthorization {
    /// Secrets in base64, separated by commas; nil if one is malformed or empty.
    static func secrets(in text: String) -> [[UInt8]]? {
        let parts = text.split(separator: ",").map { Base64.standard.decode(String($0).trimmingBlanks) }
        return parts.isEmpty || parts.contains { $0?.isEmpty != false } ? nil : parts.compactMap(\.self)
    }

    /// Clients in JSON: `[{"id": "", "secretHash": "", "sdkKeys": []}]`; nil if one is malformed.
    static func clients(in text: String) -> [Client]? {
        guard case .array(let elements)? = try? JSONValue(parsing: text) else { return nil }
        let clients = elements.map { element -> Client? in
            guard case .string(let id)? = element["id"], case .string(let hash)? = element["secretHash"],
                let hash = Base64.standard.decode(hash), let keys = (element["sdkKeys"] ?? .array([])).strings
            else { return nil }
            return Client(id: id, secretHash: hash, sdkKeys: keys)
        }
        return clients.contains { $0 == nil } ? nil : clients.compactMap(\.self)
    }
}

extension AgentWebhookProject {
    /// Projects in JSON: `{"<project id>": {"sdkKeys": [], "secret": "", "skipSignatureCheck": false}}`; nil if one is
    /// malformed.
    static func projects(in text: String) -> [Int64: AgentWebhookProject]? {
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

extension AgentServiceMap {
    /// Reads services in JSON; nil if the chosen one is not among them.
    init?(parsing text: String) {
        guard let value = try? JSONValue(parsing: text), case .object = value else { return nil }
        if case .string(let name)? = value["default"], !name.isEmpty { standard = name }
        if case .object(let services)? = value["services"] { self.services = services }
        if let standard, services[standard] == nil { return nil }
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
