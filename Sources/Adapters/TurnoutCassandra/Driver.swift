import CCassandra
import LibC
import TurnoutClient

/// DataStax's C/C++ driver, which the first store loads.
struct Driver: Sendable {
    let functions: CassandraFunctions

    #if canImport(Darwin)
        private static let library = "libcassandra.2.dylib"
    #else
        private static let library = "libcassandra.so.2"
    #endif
    private static let variable = "TURNOUT_CASSANDRA_LIBRARY"

    /// The loaded drivers by path, shared by all stores. Never unloaded: their threads run until the process ends.
    private static let loaded = Locked<[String: Driver]>([:])

    /// Receives the driver's messages: the log of the store that was created last. A driver has one log.
    private static let log = Locked<(any Log)?>(nil)

    /// Loads the driver, once.
    ///
    /// - Parameters:
    ///   - path: The path of the library; nil for the one in the environment, or the system's.
    ///   - log: Receives the messages of the driver from now on.
    /// - Returns: The driver.
    /// - Throws: `ProfileServerError` if it cannot be loaded.
    static func load(_ path: String?, log: any Log) throws(ProfileServerError) -> Driver {
        let path = path ?? getenv(variable).map { String(cString: $0) } ?? library
        Self.log.withLock { $0 = log }
        return try loaded.withLock { (loaded) throws(ProfileServerError) in
            if let driver = loaded[path] { return driver }
            let driver = try open(path)
            loaded[path] = driver
            return driver
        }
    }

    private static func open(_ path: String) throws(ProfileServerError) -> Driver {
        guard let handle = dlopen(path, RTLD_NOW | RTLD_LOCAL) else {
            let reason = dlerror().map { String(cString: $0) } ?? "unknown error"
            throw ProfileServerError(
                .badOptions,
                "the driver cannot be loaded (\(reason)): install version 2 of DataStax's C/C++ driver "
                    + "(cassandra-cpp-driver, with libuv) or of ScyllaDB's (scylla-cpp-driver), or set \(variable) "
                    + "to the path of its library")
        }
        var functions = CassandraFunctions()
        guard cassandra_find(handle, &functions) else {
            throw ProfileServerError(
                .badOptions, "\(path) is not version 2 of the C/C++ driver: it lacks functions of that version")
        }
        cassandra_spare_openssl(handle)
        functions.log_set_level(UInt32(CASSANDRA_LOG_WARNING))
        functions.log_set_callback(
            { message, _ in
                guard let message else { return }
                let text = withUnsafeBytes(of: message.pointee.message) {
                    String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
                }
                let isError = message.pointee.severity <= UInt32(CASSANDRA_LOG_ERROR)
                let entry = DriverMessage.entry(for: text, isError: isError)
                Driver.log.withLock { $0 }?(entry.level, entry.text)
            }, nil)
        return Driver(functions: functions)
    }
}

/// How the driver connects: nodes, credentials, routing, TLS.
final class DriverCluster: Sendable {
    let functions: CassandraFunctions
    private let reference: CassandraClusterReference

    /// Sets the driver's options, and reads the files of TLS.
    ///
    /// - Throws: `ProfileServerError` if the driver refuses an option, or a file cannot be used.
    init(_ driver: Driver, _ options: CassandraOptions) throws(ProfileServerError) {
        functions = driver.functions
        guard let pointer = functions.cluster_new() else {
            throw ProfileServerError(.badOptions, "no memory for the driver")
        }
        reference = CassandraClusterReference(pointer: pointer)
        try setNodes(options)
        setTimes(options)
        if let name = options.username, let password = options.password {
            name.withCharacters { name, nameLength in
                password.withCharacters { password, length in
                    functions.cluster_set_credentials_n(pointer, name, nameLength, password, length)
                }
            }
        }
        if let tls = options.tls { try setEncryption(tls) }
    }

    deinit { functions.cluster_free(reference.pointer) }

    private func setNodes(_ options: CassandraOptions) throws(ProfileServerError) {
        let pointer = reference.pointer
        let names = options.hosts.joined(separator: ",").withCharacters {
            functions.cluster_set_contact_points_n(pointer, $0, $1)
        }
        try check(names, "the names of the nodes")
        try check(functions.cluster_set_port(pointer, Int32(options.port)), "the port")
        if let name = options.dataCenter {
            let result = name.withCharacters {
                functions.cluster_set_load_balance_dc_aware_n(pointer, $0, $1, 0, 0)
            }
            try check(result, "the data center")
        }
        functions.cluster_set_token_aware_routing(pointer, 1)
        try check(functions.cluster_set_consistency(pointer, options.consistency.number), "the consistency")
    }

    private func setTimes(_ options: CassandraOptions) {
        let pointer = reference.pointer
        let (connect, call) = (options.connectTimeout.wholeMilliseconds, options.timeout.wholeMilliseconds)
        functions.cluster_set_connect_timeout(pointer, UInt32(connect))
        functions.cluster_set_resolve_timeout(pointer, UInt32(connect))
        functions.cluster_set_request_timeout(pointer, UInt32(call))
        // By default the driver waits for more requests before it sends one, longer than a lookup takes.
        _ = functions.cluster_set_coalesce_delay(pointer, 0)
        // A silent node is replaced after some seconds, and one that returns is used after some seconds.
        functions.cluster_set_connection_heartbeat_interval(pointer, 5)
        functions.cluster_set_connection_idle_timeout(pointer, 15)
        _ = functions.cluster_set_exponential_reconnect(pointer, 100, 5_000)
        // If a node does not respond, the next one is asked while there is time. All requests may be repeated.
        _ = functions.cluster_set_constant_speculative_execution_policy(pointer, Int64(max(1, call / 4)), 2)
    }

    private func setEncryption(_ options: CassandraOptions.TLS) throws(ProfileServerError) {
        guard let ssl = functions.ssl_new() else {
            throw ProfileServerError(.badOptions, "no memory for TLS")
        }
        defer { functions.ssl_free(ssl) }
        let identity: Int =
            switch options.verification {
            case .address: Int(CASSANDRA_VERIFY_ADDRESS)
            case .name: Int(CASSANDRA_VERIFY_NAME)
            case .authority: 0
            }
        functions.ssl_set_verify_flags(ssl, Int32(Int(CASSANDRA_VERIFY_CERTIFICATE) | identity))
        let authorities = try TLSFile.authorities(options)
        let trusted = authorities.text.withCharacters { functions.ssl_add_trusted_cert_n(ssl, $0, $1) }
        try check(trusted, "TLS: the authorities in \(authorities.path)")
        if let certificate = options.certificate, let key = options.key {
            let certified = try TLSFile(certificate).text.withCharacters { functions.ssl_set_cert_n(ssl, $0, $1) }
            try check(certified, "TLS: the certificate in \(certificate)")
            let keyed = try TLSFile(key).text.withCharacters {
                functions.ssl_set_private_key_n(ssl, $0, $1, nil, 0)
            }
            try check(keyed, "TLS: the key in \(key)")
        }
        functions.cluster_set_ssl(reference.pointer, ssl)
        // Nodes are known by their addresses; the driver looks up names only on request.
        guard options.verification == .name else { return }
        try check(functions.cluster_set_use_hostname_resolution(reference.pointer, 1), "TLS: the names of nodes")
    }

    private func check(_ code: CassandraCode, _ what: String) throws(ProfileServerError) {
        guard code != 0 else { return }
        throw ProfileServerError(.badOptions, "\(what) cannot be used by the driver")
    }

    /// Opens a session. The closure is called once, on any thread.
    func connect(_ done: @escaping @Sendable (Result<DriverSession, ProfileServerError>) -> Void) {
        guard let pointer = functions.session_new() else {
            return done(.failure(ProfileServerError(.unavailable, "no memory for a session")))
        }
        let session = DriverSession(functions, CassandraSessionReference(pointer: pointer))
        functions.whenDone(functions.session_connect(pointer, reference.pointer)) { [functions] future in
            let code = functions.future_error_code(future)
            done(code == 0 ? .success(session) : .failure(ProfileServerError(driverCode: code)))
        }
    }
}

extension CassandraOptions.Consistency {
    /// The number in the protocol.
    fileprivate var number: UInt32 {
        switch self {
        case .one: 1
        case .two: 2
        case .three: 3
        case .quorum: 4
        case .all: 5
        case .localQuorum: 6
        case .localOne: 10
        }
    }
}

extension Duration {
    var wholeMilliseconds: Int { Int(self / .milliseconds(1)) }
}

extension String {
    func withCharacters<Value>(_ body: (UnsafePointer<CChar>?, Int) -> Value) -> Value {
        var text = self
        return text.withUTF8 { bytes in
            bytes.withMemoryRebound(to: CChar.self) { body($0.baseAddress, $0.count) }
        }
    }
}
