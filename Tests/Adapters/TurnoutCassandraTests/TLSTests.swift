/// Encrypted connections.
@Suite(.needsDriver, .blocking) struct CassandraTLSTests {
    private let certificates: Certificates

    init() throws { certificates = try Certificates() }

    private func cluster(_ certificate: String?, requiresCertificates: Bool = false) throws -> TestCluster {
        try TestCluster(
            .init(
                dataCenters: ["dc1"], replicas: 1, certificate: certificate.map(certificates.file),
                key: certificate.map(certificates.key),
                authorities: requiresCertificates ? certificates.file("ca") : nil))
    }

    private func store(
        _ cluster: TestCluster, _ change: (inout CassandraOptions.TLS) -> Void = { _ in }
    ) throws -> CassandraProfileStore {
        try cluster.store {
            var tls = CassandraOptions.TLS()
            tls.authorities = certificates.file("ca")
            change(&tls)
            ($0.tls, $0.timeout, $0.connectTimeout) = (tls, .seconds(20), .seconds(10))
        }
    }

    private func isUsed(_ store: CassandraProfileStore) throws -> Bool {
        try store.save(["1": "2"], for: "ada-lovelace")
        return try store.profile(of: "ada-lovelace") == UserProfile(["1": "2"])
    }

    @Test func certificatesOfTheAddressAreAccepted() throws {
        let cluster = try cluster("server")
        #expect(try isUsed(store(cluster)))
    }

    @Test(arguments: ["stranger", "other", "old"]) func otherCertificatesAreNot(_ certificate: String) throws {
        let cluster = try cluster(certificate)
        let store = try store(cluster)
        #expect { try store.profile(of: "ada-lovelace") } throws: { code($0) == .untrusted }
    }

    @Test func certificatesOfTheNameAreAcceptedIfWanted() throws {
        let clusters = [try cluster("server"), try cluster("other")]
        #expect(try isUsed(store(clusters[0]) { $0.verification = .name }))
        let other = try store(clusters[1]) { $0.verification = .name }
        #expect { try other.profile(of: "ada-lovelace") } throws: { code($0) == .untrusted }
    }

    @Test func anAuthorityOfTheClusterIsEnoughIfWanted() throws {
        let clusters = [try cluster("other"), try cluster("stranger")]
        #expect(try isUsed(store(clusters[0]) { $0.verification = .authority }))
        let stranger = try store(clusters[1]) { $0.verification = .authority }
        #expect { try stranger.profile(of: "ada-lovelace") } throws: { code($0) == .untrusted }
    }

    @Test func nodesMayRequireACertificate() throws {
        let cluster = try cluster("server", requiresCertificates: true)
        let anonymous = try store(cluster)
        #expect { try anonymous.profile(of: "ada-lovelace") } throws: {
            [.untrusted, .unreachable].contains(code($0))
        }
        let known = try store(cluster) {
            ($0.certificate, $0.key) = (certificates.file("client"), certificates.key("client"))
        }
        #expect(try isUsed(known))
    }

    @Test func aPortWithoutTLSIsNotUsed() throws {
        let cluster = try cluster(nil)
        let store = try cluster.store {
            ($0.tls, $0.timeout, $0.connectTimeout) = (CassandraOptions.TLS(), .seconds(20), .seconds(1))
            $0.tls?.authorities = certificates.file("ca")
        }
        #expect { try store.profile(of: "ada-lovelace") } throws: {
            [.untrusted, .unreachable, .deadlineExceeded].contains(code($0))
        }
    }
}
