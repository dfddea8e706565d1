import Foundation

/// Servers whose responses do not match the request, and servers that do not respond.
@Suite(.blocking) struct MemcachedMalformedResponseTests {
    @Test(arguments: [
        "ERROR\r\n", "STORED\r\n", "DELETED\r\n", "NOT_STORED\r\n", "EXISTS\r\n", "OK\r\n", "TOUCHED\r\n",
        "VERSION 1\r\n", "12\r\n", "STAT a b\r\n", "ITEM x [1 b; 2 s]\r\n", "ENDS\r\n", "\r\n", "HTTP/1.1 400\r\n",
        "CLIENT_ERROR\r\n", "SERVER_ERROR x\r\n", "VALUE z 0 1 7\r\nx\r\nEND\r\n", "VALUE z 0 1 7\r\nx\r\nOK\r\n",
    ])
    func theyAreNoEmptyProfile(_ response: String) async throws {
        let fake = try FakeServer(response)
        let options = MemcachedOptions.longTimeouts(fake.server) { $0.responseTimeout = .milliseconds(200) }
        let store = try MemcachedProfileStore(options, log: .silent)
        try await blocking {
            #expect(throws: ProfileServerError.self) { try store.profile(of: "ada") }
            #expect(throws: ProfileServerError.self) { try store.profiles(of: ["ada", "grace"]) }
        }
    }

    /// Responses to other requests, numbers, long lines, truncated lines, for each call that writes.
    @Test(arguments: [
        "END\r\n", "OK\r\n", "TOUCHED\r\n", "12\r\n", "18446744073709551616\r\n", "-1\r\n", "VERSION 1\r\n", "\r\n",
        "\n", "STORED\n", "STORED \r\n", " STORED\r\n", "stored\r\n", "STORED\0\r\n", "ENDS\r\n",
        "VALUE ada 0 1 7\r\nx\r\nEND\r\n", "STAT a b\r\n", "HD\r\n", "EN\r\n", "VA 1\r\nx\r\n", "NS\r\n",
        "\u{80}\u{0}\u{0}\u{0}\r\n", "HTTP/1.1 400 Bad Request\r\n\r\n",
    ])
    func nothingIsStoredOrForgottenByThem(_ response: String) throws {
        let fake = try FakeServer(response)
        let store = try MemcachedProfileStore(.longTimeouts(fake.server), log: .silent)
        for call in [{ try store.save(["1": "2"], for: "ada") }, { try store.forget("ada") }] {
            let error = #expect(throws: ProfileServerError.self) { try call() }
            #expect(error?.code == .invalidResponse, "\(String(describing: error))")
        }
    }

    @Test(arguments: ["STORED\r\n", "EXISTS\r\n", "NOT_STORED\r\n", "END\r\n"])
    func unexpectedResponsesForgetNoUser(_ response: String) throws {
        let fake = try FakeServer(response)
        let store = try MemcachedProfileStore(.longTimeouts(fake.server), log: .silent)
        let error = #expect(throws: ProfileServerError.self) { try store.forget("ada") }
        #expect(error?.code == .invalidResponse)
    }

    /// After `NOT_STORED` the profile is read and replaced.
    @Test(arguments: ["DELETED\r\n", "OK\r\n", "NOT_STORED\r\n", "END\r\n", "TOUCHED\r\n", "7\r\n"])
    func unexpectedResponsesReplaceNothing(_ response: String) throws {
        let value = #"{"user_id":"ada","experiment_bucket_map":{}}"#
        let fake = try FakeServer(
            "NOT_STORED\r\n", "VALUE p:ada 0 \(value.utf8.count) 7\r\n\(value)\r\nEND\r\n", response)
        let options = MemcachedOptions.longTimeouts(fake.server) { $0.prefix = "p:" }
        let store = try MemcachedProfileStore(options, log: .silent)
        let error = #expect(throws: ProfileServerError.self) { try store.save(["1": "2"], for: "ada") }
        #expect(error?.code == .invalidResponse)
    }

    @Test(
        arguments: [
            ("SERVER_ERROR object too large for cache\r\n", .tooLarge), ("CLIENT_ERROR unauthenticated\r\n", .rejected),
            ("SERVER_ERROR out of memory storing object\r\n", .full), ("ERROR\r\n", .rejected),
            ("ERROR Too many open connections\r\n", .unavailable), ("SERVER_ERROR ada-lovelace\r\n", .rejected),
            ("CLIENT_ERROR line too long ada-lovelace\r\n", .rejected),
        ] as [(String, ProfileServerError.Code)])
    func errorsSayWhatTheServerRefuses(_ response: String, _ code: ProfileServerError.Code) throws {
        let fake = try FakeServer(response)
        for call in [
            { _ = try $0.profile(of: "ada-lovelace") }, { try $0.save(["1": "2"], for: "ada-lovelace") },
            { try $0.forget("ada-lovelace") }, { _ = try $0.profiles(of: ["ada-lovelace"]) },
        ] as [(MemcachedProfileStore) throws -> Void] {
            let store = try MemcachedProfileStore(.longTimeouts(fake.server), log: .silent)
            let error = #expect(throws: ProfileServerError.self) { try call(store) }
            #expect(error?.code == code && error?.description.contains("lovelace") == false)
        }
    }

    @Test func whileAServerHangsFurtherCallsFailAtOnce() throws {
        let fake = try FakeServer()
        var options = MemcachedOptions.longTimeouts(fake.server)
        // Far shorter than the time limit of a call, whose end does not count as a failure of the server.
        options.responseTimeout = .milliseconds(50)
        options.retryInterval = .seconds(3_600)
        let store = try MemcachedProfileStore(options, log: .silent)
        let error = #expect(throws: ProfileServerError.self) { try store.profile(of: "ada") }
        #expect(error?.code == .deadlineExceeded)
        for _ in 0..<1_000 {
            let error = #expect(throws: ProfileServerError.self) { try store.profile(of: "ada") }
            // A call that waited for the server would exceed its deadline.
            #expect(error?.code == .unreachable)
        }
    }

    /// One request at a time would take 50 or 200 round trips.
    @Test func requestsArePipelinedOnASlowNetwork() async throws {
        let pauses = Collected<Void>()
        let fake = try FakeServer(cuts: true) { connection in
            while case let bytes = connection.read(), !bytes.isEmpty {
                usleep(20_000)
                pauses.add(())
                for byte in bytes where byte == 0x0A { connection.write(Array("END\r\n".utf8)) }
            }
        }
        let store = try MemcachedProfileStore(.longTimeouts(fake.server), log: .silent)
        let users = (0..<rounds(5_000, thorough: 20_000)).map { "user \($0)" }
        let profiles = try await blocking { try store.profiles(of: users) }
        #expect(profiles.isEmpty && pauses.count < rounds(25, thorough: 100))
    }
}

/// `SIGPIPE`, which by default ends the process.
@Suite(.blocking) struct BrokenConnectionTests {
    @Test func unexpectedResponsesDoNotCrash() async {
        await #expect(processExitsWith: .success) {
            signal(SIGPIPE, SIG_DFL)
            // Connections are closed before anything is read.
            let fake = try FakeServer(cuts: true) { $0.end() }
            let store = try MemcachedProfileStore(.longTimeouts(fake.server), log: .silent)
            let large = String(repeating: "v", count: 10_000_000)
            for _ in 0..<20 {
                #expect(throws: ProfileServerError.self) { try store.save(["1": large], for: "ada") }
            }
        }
    }
}
