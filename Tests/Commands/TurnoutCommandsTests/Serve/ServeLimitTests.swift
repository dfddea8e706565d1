@Suite("turnout serve within limits of the system", .blocking)
struct ServeLimitTests {
    private static let datafile =
        URL(filePath: #filePath).appending(path: "../../../../../Examples/Shop/datafile.json").standardized.path

    /// More connections than descriptors neither end the server nor keep it from serving afterwards.
    @Test(.thorough, arguments: [64, 1_024, 4_096])
    func connectionsLeaveDescriptorsForTheServer(limit: Int) async throws {
        let folder = TemporaryDirectory(isCreated: true)
        let (port, done, free) = (try TestSocket.listening().port, folder.path + "/done", folder.path + "/free")
        async let accepted = Self.occupy(port, connections: limit + 50, until: free, done)
        let result = await #expect(processExitsWith: .exitCode(0), observing: [\.standardErrorContent]) {
            [
                port = port as Int, limit = limit as Int, done = done as String, free = free as String,
                datafile = Self.datafile as String, data = folder.path + "/data" as String
            ] in
            StandardStream.reserve()
            // Beside those of other tests, which this process got when it was started.
            limitDescriptors(to: limit + descriptorsInUse())
            beside {
                // libdispatch opens files while its threads are busy.
                let end = ContinuousClock.now + .seconds(3)
                for _ in 0..<8 {
                    DispatchQueue.global().async {
                        while ContinuousClock.now < end {}
                        _ = FileManager.default.createFile(atPath: free, contents: nil)
                    }
                }
                try waitBlocking("the end of the clients") { access(done, F_OK) == 0 }
                kill(getpid(), SIGTERM)
            }
            let options = ["--flags", datafile, "--data", data, "--port", "\(port)", "--set", "shutdown.delay=0"]
            exit(await Tool.run(["serve"] + options))
        }
        let room = try await accepted
        let log = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(log.contains("warning limits.connections is 20000, but only "))
        #expect(log.contains("the process may open only "))
        let said = log.firstMatch(of: /only (\d+) connections are sure/).flatMap { Int($0.1) }
        #expect(try #require(said) <= room, "\(room)")
        #expect(log.hasSuffix("info stopped\n"))
    }

    @Test func tooFewDescriptorsForConnectionsAreAnError() async {
        let result = await #expect(processExitsWith: .exitCode(1), observing: [\.standardErrorContent]) {
            [datafile = Self.datafile as String] in
            StandardStream.reserve()
            limitDescriptors(to: 40)
            exit(await Tool.run(["serve", "--flags", datafile, "--port", "0"]))
        }
        let log = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        // The second, if other tests have many files open, which this process got from them.
        #expect(log.contains("the process may open only 40 files") || log.contains("Too many open files"), "\(log)")
    }

    /// Opens more connections than there is room for, and closes them. Then the server answers. Returns the number
    /// of those that were not refused.
    private static func occupy(_ port: Int, connections: Int, until free: String, _ done: String) async throws -> Int {
        limitDescriptors(to: nil)
        defer { _ = FileManager.default.createFile(atPath: done, contents: nil) }
        try waitBlocking("the server") { isAnswered(port) }
        var open: [TestSocket] = []
        for _ in 0..<connections { if let socket = try? TestSocket.connected(to: port) { open.append(socket) } }
        try await wait("one is refused") { open.contains { $0.isReadable(within: 0) } }
        try await wait("the server's threads are free") { access(free, F_OK) == 0 }
        // Its limits on time may have closed some meanwhile.
        try await wait("no room for another one") {
            if let socket = try? TestSocket.connected(to: port) { open.append(socket) }
            return !isAnswered(port)
        }
        let accepted = open.count { !$0.isReadable(within: 0) }
        open = []
        try waitBlocking("an answer") { isAnswered(port) }
        return accepted
    }

    /// Its threads run many times a second if they look for work instead of being woken.
    @Test(.thorough) func anIdleServerSleeps() async throws {
        await #expect(processExitsWith: .exitCode(0)) { [datafile = Self.datafile as String] in
            StandardStream.reserve()
            let port = try TestSocket.listening().port
            beside {
                try waitBlocking("the server") { isAnswered(port) }
                let idle = try (0..<8).map { _ in try TestSocket.connected(to: port) }
                for socket in idle {
                    socket.write(Array("GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8))
                    #expect(socket.isReadable(within: 5_000))
                }
                // What is done once after the start.
                usleep(1_000_000)
                let before = switches()
                usleep(4_000_000)
                let count = switches() - before
                #expect(count < 20, "\(count)")
                withExtendedLifetime(idle) {}
                kill(getpid(), SIGTERM)
            }
            let options = ["--flags", datafile, "--port", "\(port)", "--set", "shutdown.delay=0"]
            exit(await Tool.run(["serve"] + options))
        }
    }
}

/// Sets the limit of open files, or raises it as far as the system permits.
private func limitDescriptors(to count: Int?) {
    var limit = rlimit()
    let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    getrlimit(resource, &limit)
    if let count { limit.rlim_max = rlim_t(count) }
    limit.rlim_cur = limit.rlim_max
    setrlimit(resource, &limit)
}

/// The number of descriptors up to the last one in use.
private func descriptorsInUse() -> Int {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
    return (names.compactMap { Int($0) }.max() ?? 2) - 2
}

/// How often the threads of this process have waited.
private func switches() -> Int {
    let tasks = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
    return tasks.reduce(0) { sum, task in
        let status = (try? String(contentsOfFile: "/proc/self/task/\(task)/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("voluntary_ctxt_switches") }
        return sum + (line?.split(separator: "\t").last.flatMap { Int($0) } ?? 0)
    }
}

private func isAnswered(_ port: Int) -> Bool {
    guard let socket = try? TestSocket.connected(to: port) else { return false }
    socket.write(Array("GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".utf8))
    return socket.isReadable(within: 5_000) && String(decoding: socket.read(), as: UTF8.self).contains(" 200 ")
}
