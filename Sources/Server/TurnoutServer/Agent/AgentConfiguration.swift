package import TurnoutEngine

/// The settings of the vendor's Agent for its interface, as far as this server has it.
package struct AgentConfiguration: Sendable, Equatable {
    // MARK: Listeners

    /// The address to listen on; nil: the server's own setting.
    package var host: String?
    /// The port of all routes; nil: the server's own setting.
    package var apiPort: UInt16?
    /// The hosts that requests may name; `.example.com` is for all subdomains, `.` for all hosts. Default: empty, hosts
    /// are not checked.
    package var allowedHosts: [String] = []
    /// The end of the paths that report the health. Default: `/health`.
    package var healthPath = "/health"
    /// The time in which a request must be complete; nil: the server's own setting.
    package var requestTime: Duration?
    /// The maximum number of connections; nil: the server's own setting.
    package var connections: Int?
    /// The files with the certificate and its key; nil: no TLS.
    package var certificateFile: String?
    /// The file with the key of the certificate.
    package var keyFile: String?
    /// The permissions of web pages from other origins.
    package var cors = AgentCORS()

    // MARK: The interface

    /// The SDK keys to make clients for at the start. Default: none.
    package var sdkKeys: [String] = []
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

    // MARK: Services

    /// The address of datafiles, with `%s` for the SDK key; nil: this server's own datafiles.
    package var datafileAddress: String?
    /// The interval of requests for datafiles; nil: the server's own setting.
    package var pollingInterval: Duration?
    /// The address to forward events to; nil: they are kept here.
    package var eventAddress: String?
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

    // MARK: Logs

    /// The least severe level to log; nil: the server's own setting.
    package var logLevel: String?
    /// Whether the log is text and not JSON; nil: the server's own setting.
    package var logIsText: Bool?

    package init() {}
}

/// The permissions of web pages from other origins.
package struct AgentCORS: Sendable, Equatable {
    /// The origins; `*` for all. Nil: the server's own setting.
    package var origins: [String]?
    /// The request headers. Nil: the server's own setting.
    package var headers: [String]?
    /// The response headers that pages can read. Nil: the server's own setting.
    package var exposedHeaders: [String]?
    /// How long browsers keep this, in seconds. Nil: the server's own setting.
    package var maximumAge: Int?
}

/// Credentials, and the secrets of the tokens that are issued for them.
package struct AgentAuthorization: Sendable, Equatable {
    /// The credentials of one program.
    package struct Client: Sendable, Equatable {
        package var id: String
        /// The bcrypt hash of the secret, as text.
        package var secretHash: [UInt8]
        /// The SDK keys that its tokens are for.
        package var sdkKeys: [String]

        package init(id: String, secretHash: [UInt8], sdkKeys: [String]) {
            self.id = id
            self.secretHash = secretHash
            self.sdkKeys = sdkKeys
        }
    }

    /// The programs that can request tokens. Default: none.
    package var clients: [Client] = []
    /// The secrets of tokens: the first signs them, and all verify them. Default: none, no tokens are required.
    package var secrets: [[UInt8]] = []
    /// How long a token is valid. Default: 0, which makes tokens useless; set it with the secrets.
    package var timeToLive = Duration.zero

    /// Whether requests need a token.
    package var isEnabled: Bool { !secrets.isEmpty }
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
