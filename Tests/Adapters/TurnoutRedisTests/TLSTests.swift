import Foundation

/// Encrypted connections to real servers, and those that are refused.
@Suite(.blocking) struct RedisTLSTests {
    private let certificates: Certificates

    init() throws { certificates = try Certificates() }

    private func failure(_ options: RedisOptions) throws -> ProfileServerError {
        let store = try RedisProfileStore(options)
        return try #require(throws: ProfileServerError.self) { try store.profile(of: "ada-lovelace") }
    }

    @Test(arguments: [RedisOptions.Layout.hash, .agent])
    func profilesKeepTheContract(_ layout: RedisOptions.Layout) async throws {
        let (server, port) = try await certificates.server()
        try server.ask("CONFIG", "SET", "requirepass", "pass word")
        try await checkProfileStore(underEveryPolicy: isThorough) {
            var options = try RedisOptions(
                url: "rediss://:pass%20word@localhost:\(port)?ca=\(certificates.file("ca"))&timeout=60s"
                    + "&connect-timeout=60s")
            options.prefix = UUID().uuidString
            options.layout = layout
            return try RedisProfileStore(options)
        }
    }

    @Test func usersStayUntilTheServerIsEmptied() async throws {
        let (server, port) = try await certificates.server()
        let options = certificates.options(port: port)
        try await checkThatUsersStay(in: { try RedisProfileStore(options) }, until: { try server.ask("FLUSHALL") })
    }

    @Test func allConnectionsToAClusterAreEncrypted() async throws {
        let (server, port) = try await certificates.server(
            "server", ["--cluster-enabled", "yes", "--tls-cluster", "yes"])
        try server.ask("CLUSTER", "ADDSLOTSRANGE", "0", "16383")
        try await wait("a cluster that works") { try server.ask("CLUSTER", "INFO").contains("cluster_state:ok") }
        var options = try RedisOptions(
            url: "rediss-cluster://localhost:\(port)?ca=\(certificates.file("ca"))&timeout=60s&connect-timeout=60s")
        #expect(options.servers == .cluster([.host("localhost", port: port)]))
        options.prefix = "p:"
        let store = try RedisProfileStore(options)
        for user in 0..<50 { try store.save(["1": "\(user)"], for: "user \(user)") }
        #expect(try store.profiles(of: (0..<50).map { "user \($0)" }).count == 50)
        #expect(try store.count == 50)
    }

    @Test func serversWithoutATrustedCertificateAreRefused() async throws {
        let (good, port) = try await certificates.server()
        defer { good.kill() }
        var options = certificates.options(port: port)
        options.tls?.authorities = nil
        var error = try failure(options)
        #expect(error.code == .untrusted && error.message.contains("certificate is not accepted"), "\(error)")
        options.tls?.authorities = certificates.file("stranger-ca")
        error = try failure(options)
        #expect(error.code == .untrusted && error.message.contains("certificate is not accepted"), "\(error)")
        for (certificate, words) in [("old", "expired"), ("stranger", "not accepted")] {
            let (server, port) = try await certificates.server(certificate)
            error = try failure(certificates.options(port: port))
            #expect(error.code == .untrusted && error.message.contains(words), "\(error)")
            server.kill()
        }
    }

    @Test func theCertificateMustBeForTheServer() async throws {
        let (server, port) = try await certificates.server("other")
        defer { server.kill() }
        for host in ["localhost", "127.0.0.1"] {
            var options = certificates.options(port: port, host: host)
            let error = try failure(options)
            #expect(error.code == .untrusted && error.message.contains("not for \(host)"), "\(error)")
            options.tls?.serverName = "other.example"
            #expect(try RedisProfileStore(options).profile(of: "ada") == UserProfile())
            options.tls?.serverName = "example"
            #expect(try failure(options).code == .untrusted)
        }
    }

    @Test func aClientCertificateIsSentIfRequired() async throws {
        let (server, port) = try await certificates.server(requiresCertificates: true)
        defer { server.kill() }
        var options = certificates.options(port: port)
        let error = try failure(options)
        #expect(error.code == .untrusted && error.message.contains("certificate"), "\(error)")
        options.tls?.certificate = certificates.file("stranger")
        options.tls?.key = certificates.key("stranger")
        #expect([.untrusted, .unreachable].contains(try failure(options).code))
        let (files, authority) = (certificates.file("client"), certificates.file("ca"))
        let store = try RedisProfileStore(
            RedisOptions(
                url: "rediss://127.0.0.1:\(port)?ca=\(authority)&cert=\(files)&key=\(certificates.key("client"))"
                    + "&timeout=60s&connect-timeout=60s"))
        try store.save(["1": "2"], for: "ada")
        #expect(try store.profile(of: "ada") == UserProfile(["1": "2"]))
    }

    @Test func portsWithoutTLSAreReported() async throws {
        let (server, port) = try await certificates.server()
        defer { server.kill() }
        // The server waits for the end of a line.
        var options = certificates.options(port: server.port)
        options.connectTimeout = .milliseconds(200)
        let late = try failure(options)
        #expect(late.code == .deadlineExceeded && late.message.contains("speak TLS"), "\(late)")
        let web = try FakeServer("HTTP/1.1 400 Bad Request\r\n\r\n")
        options = certificates.options(port: 1)
        options.servers = .one(web.address)
        let error = try failure(options)
        #expect(error.code == .untrusted && error.message.contains("speak TLS"), "\(error)")
        options = certificates.options(port: port)
        options.tls = nil
        #expect([.unreachable, .invalidResponse].contains(try failure(options).code))
    }

    @Test func unusableFilesAreReported() throws {
        func error(_ change: (inout RedisOptions.TLS) -> Void) throws -> ProfileServerError {
            var (options, tls) = (certificates.options(port: 1), RedisOptions.TLS())
            change(&tls)
            options.tls = tls
            return try #require(throws: ProfileServerError.self) { try RedisProfileStore(options) }
        }
        let nowhere = "/nowhere/ca.pem"
        let (certificate, key, other) = (
            certificates.file("client"), certificates.key("client"), certificates.key("server")
        )
        let errors = [
            (try error { $0.authorities = nowhere }, nowhere), (try error { $0.authorities = key }, key),
            (try error { ($0.certificate, $0.key) = (nowhere, key) }, nowhere),
            (try error { ($0.certificate, $0.key) = (certificate, nowhere) }, nowhere),
            (try error { ($0.certificate, $0.key) = (certificate, other) }, other),
            (try error { $0.certificate = certificate }, "key"), (try error { $0.key = key }, "certificate"),
        ]
        for (error, words) in errors {
            #expect(error.code == .badOptions && error.message.contains(words), "\(error)")
            #expect(error.message.contains("no such file") == (words == nowhere), "\(error)")
        }
    }

    @Test func largeProfilesAreStoredExactly() async throws {
        let (server, port) = try await certificates.server()
        defer { server.kill() }
        let store = try RedisProfileStore(certificates.options(port: port))
        let large = String(repeating: "0123456789abcdef", count: 400_000)
        try store.save(["1": large], for: "ada")
        try store.save(["2": "3"], for: "grace")
        let profiles = try store.profiles(of: ["ada", "grace", "edsger"])
        #expect(profiles["ada"] == UserProfile(["1": large]) && profiles["grace"] == UserProfile(["2": "3"]))
        #expect(profiles["edsger"] == UserProfile())
    }

    /// A truncated response must never be taken for a user without assignments.
    @Test func interruptedConnectionsAreErrors() async throws {
        let (server, port) = try await certificates.server()
        let proxy = try FaultyProxy(to: port)
        defer {
            proxy.stop()
            server.kill()
        }
        var options = certificates.options(port: port)
        try RedisProfileStore(options).save(["1": "2"], for: "ada")
        options.servers = .one(.host("127.0.0.1", port: proxy.port))
        var (failures, replies) = (0, 0)
        for count in stride(from: 0, to: 3_000, by: 61) {
            proxy.behavior = .cut(after: count)
            do {
                #expect(try RedisProfileStore(options).profile(of: "ada") == UserProfile(["1": "2"]))
                replies += 1
            } catch let error as ProfileServerError {
                #expect([.unreachable, .untrusted].contains(error.code), "after \(count) bytes: \(error)")
                failures += 1
            }
        }
        #expect(failures > 0 && replies > 0)
    }

    @Test func anUnresponsiveServerDelaysACallByTheTimeout() throws {
        let server = try FakeServer()
        var options = certificates.options(port: 1)
        options.servers = .one(server.address)
        options.connectTimeout = .milliseconds(100)
        let start = ContinuousClock.now
        let error = try failure(options)
        #expect(error.code == .deadlineExceeded && error.message.contains("handshake"), "\(error)")
        #expect(ContinuousClock.now - start < .seconds(5))
    }

    /// `SIGPIPE`, which by default ends the process.
    @Test func brokenConnectionsDoNotCrash() async throws {
        let (server, port) = try await certificates.server()
        defer { server.kill() }
        let (authority, plain) = (certificates.file("ca"), server.port)
        await #expect(processExitsWith: .success) {
            [port = port as Int, plain = plain as Int, authority = authority as String] in
            signal(SIGPIPE, SIG_DFL)
            let store = try RedisProfileStore(
                RedisOptions(url: "rediss://127.0.0.1:\(port)?ca=\(authority)&timeout=30s&connect-timeout=30s"))
            for round in 0..<5 {
                try store.save(["\(round)": String(repeating: "v", count: 1_000_000)], for: "ada")
                _ = try RedisServer.cli(["-p", "\(plain)", "CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes"])
            }
            #expect(try store.profile(of: "ada").assignments.count == 5)
        }
    }
}
