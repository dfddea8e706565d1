#if Memcached
    import Foundation
    import TestSupport
    import Testing
    import TurnoutClient
    import TurnoutMemcached

    /// Servers that answer what nobody asked, or nothing at all.
    @Suite struct MemcachedOddAnswerTests {
        @Test(arguments: [
            "ERROR\r\n", "STORED\r\n", "DELETED\r\n", "NOT_STORED\r\n", "EXISTS\r\n", "OK\r\n", "TOUCHED\r\n",
            "VERSION 1\r\n", "12\r\n", "STAT a b\r\n", "ITEM x [1 b; 2 s]\r\n", "ENDS\r\n", "\r\n", "HTTP/1.1 400\r\n",
            "CLIENT_ERROR\r\n", "SERVER_ERROR x\r\n", "VALUE z 0 1 7\r\nx\r\nEND\r\n", "VALUE z 0 1 7\r\nx\r\nOK\r\n",
        ])
        func theyAreNoEmptyProfile(_ answer: String) async throws {
            let fake = try FakeServer(answer)
            defer { fake.stop() }
            var options = MemcachedOptions.patient(fake.server)
            options.answerTimeout = .milliseconds(200)
            let store = try MemcachedProfileStore(options, log: .silent)
            try await blocking {
                #expect(throws: MemcachedError.self) { try store.profile(of: "ada") }
                #expect(throws: MemcachedError.self) { try store.profiles(of: ["ada", "grace"]) }
            }
        }

        @Test(arguments: ["STORED\r\n", "EXISTS\r\n", "NOT_STORED\r\n", "END\r\n"])
        func nobodyIsForgottenByThem(_ answer: String) throws {
            let fake = try FakeServer(answer)
            defer { fake.stop() }
            let store = try MemcachedProfileStore(.patient(fake.server), log: .silent)
            let error = #expect(throws: MemcachedError.self) { try store.forget("ada") }
            #expect(error?.code == .misunderstood)
        }

        /// As when another client adds a user between the two questions.
        @Test func whoIsAddedMeanwhileIsFound() throws {
            let value = #"{"user_id":"ada","experiment_bucket_map":{"1":{"variation_id":"2"}}}"#
            let fake = try FakeServer(
                "END\r\n", "CLIENT_ERROR cannot increment or decrement non-numeric value\r\n",
                "VALUE p:ada 0 \(value.utf8.count) 7\r\n\(value)\r\nEND\r\n")
            defer { fake.stop() }
            var options = MemcachedOptions.patient(fake.server)
            options.prefix = "p:"
            #expect(try MemcachedProfileStore(options, log: .silent).profile(of: "ada").assignments == ["1": "2"])
        }

        @Test func whenAllCallsHangFurtherOnesFailAtOnce() throws {
            let fake = try FakeServer()
            defer { fake.stop() }
            var options = MemcachedOptions.patient(fake.server)
            options.timeout = .milliseconds(50)
            options.maximumConnections = 2
            let store = try MemcachedProfileStore(options, log: .silent)
            for _ in 0..<2 {
                let error = #expect(throws: MemcachedError.self) { try store.profile(of: "ada") }
                #expect(error?.code == .deadlineExceeded)
            }
            for _ in 0..<1_000 {
                let error = #expect(throws: MemcachedError.self) { try store.profile(of: "ada") }
                #expect(error?.code == .overloaded)
            }
        }
    }

    /// The signal for broken connections, which ends a process that does nothing about it.
    @Suite struct BrokenConnectionTests {
        @Test func theyEndNoProcess() async {
            await #expect(processExitsWith: .success) {
                signal(SIGPIPE, SIG_DFL)
                let (listener, port) = try TestSocket.listening()
                BlockingCall.start {
                    // Closed with the socket, before anything was read.
                    while let client = try? TestSocket(accept(listener.descriptor, nil, nil)) { client.end() }
                }
                let store = try MemcachedProfileStore(.patient(.host("127.0.0.1", port: port)), log: .silent)
                let large = String(repeating: "v", count: 10_000_000)
                for _ in 0..<20 {
                    #expect(throws: MemcachedError.self) { try store.remember(["1": large], for: "ada") }
                }
            }
        }
    }
#endif
