#if SQLite && os(Linux)
    /// On Linux, a suite of user defaults maps to a file that processes share and that survives them.
    @Suite struct SuiteTests {
        private static var half: [AnyHashable: Any] { experiment(["a": 50, "b": 50], ["is_sticky": true]) }

        /// A manager with the experiments `exp 0`, `exp 1` and so on, which uses a suite.
        private static func manager(_ suite: String) throws -> ADRolloutManager {
            let experiments = (0..<400).map { ("exp \($0)", ["Variants": ["a": 50, "b": 50]] as [String: Any]) }
            let manager = ADRolloutManager()
            let defaults = try #require(UserDefaults(suiteName: suite))
            manager.setup(
                withConfiguration: Dictionary(uniqueKeysWithValues: experiments), userDefaults: defaults,
                userPreferedLanguage: "en", userCurrentLocale: Locale(identifier: "en_US"))
            return manager
        }

        /// Draws, and writes each result to a file immediately.
        private static func draw(_ suite: String, _ numbers: some Sequence<Int>, writingTo path: String) throws {
            let manager = try manager(suite)
            try Data().write(to: URL(filePath: path))
            let file = try #require(FileHandle(forWritingAtPath: path))
            for number in numbers {
                let variant: String = manager.variant(byExperimentId: "exp \(number)", defaultResult: "none")
                try file.write(contentsOf: Data("\(number) \(variant)\n".utf8))
            }
        }

        private static func lines(in path: String) throws -> [String] {
            try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").map(String.init)
        }

        @Test func noDrawOfAKilledProcessIsLost() async throws {
            let (own, directory) = (OwnDefaults(), try OwnDirectory())
            defer { withExtendedLifetime(own) {} }
            // A setting of the application in the same suite.
            own.defaults.set("kept", forKey: "setting of the application")
            own.defaults.synchronize()
            for round in 1...4 {
                await #expect(processExitsWith: .signal(SIGKILL)) {
                    [suite = own.name as String, path = directory.file("\(round)") as String, round = round as Int] in
                    beside {
                        try waitBlocking("draws") { (try? Self.lines(in: path).count) ?? 0 >= 12 * round }
                        kill(getpid(), SIGKILL)
                    }
                    try Self.draw(suite, (0..<400).map { ($0 + 100 * round) % 400 }, writingTo: path)
                    try await Task.sleep(for: waitLimit * 2)
                }
            }
            let later = try Self.manager(own.name)
            var count = 0
            for round in 1...4 {
                for line in try Self.lines(in: directory.file("\(round)")) {
                    let number = line.split(separator: " ")[0]
                    let variant: String = later.variant(byExperimentId: "exp \(number)", defaultResult: "none")
                    #expect(line == "\(number) \(variant)")
                    count += 1
                }
            }
            #expect(count >= 12 + 24 + 36 + 48)
            let fresh = try #require(UserDefaults(suiteName: own.name))
            #expect(fresh.string(forKey: "setting of the application") == "kept")
        }

        @Test func threeProcessesAgree() async throws {
            let (own, directory) = (OwnDefaults(), try OwnDirectory())
            defer { withExtendedLifetime(own) {} }
            let name = own.name
            await concurrently(1...3) { process in
                await #expect(processExitsWith: .success) {
                    [suite = name as String, path = directory.file("\(process)") as String, process = process as Int] in
                    let numbers = process == 2 ? Array((0..<150).reversed()) : Array(0..<150)
                    try Self.draw(suite, numbers, writingTo: path)
                }
            }
            let lines = try (1...3).map { try Set(Self.lines(in: directory.file("\($0)"))) }
            #expect(lines[0].count == 150 && lines[0] == lines[1] && lines[0] == lines[2])
        }

        @Test func drawsInASuiteAreMigrated() throws {
            let own = OwnDefaults()
            defer { withExtendedLifetime(own) {} }
            own.defaults.set("exp_b", forKey: "exp_ExperimentResult")
            own.defaults.set(0.9, forKey: "exp_ExperimentRandomNumber")
            let device = Device(.userDefaults(own.defaults), drawing: 0.1)
            let onlyA = experiment(["a": 100, "b": 0], ["is_sticky": true])
            #expect(device.variant(in: onlyA) == "exp_b")
            // Both values were copied to the file.
            own.defaults.removeObject(forKey: "exp_ExperimentResult")
            own.defaults.removeObject(forKey: "exp_ExperimentRandomNumber")
            let later = Device(.userDefaults(try #require(UserDefaults(suiteName: own.name))), drawing: 0.1)
            #expect(later.variant(in: onlyA) == "exp_b" && later.chance.count == 0)
        }

        @Test func aForgottenDrawIsNotMigratedAgain() throws {
            let own = OwnDefaults()
            defer { withExtendedLifetime(own) {} }
            own.defaults.set("exp_b", forKey: "exp_ExperimentResult")
            let device = Device(.userDefaults(own.defaults), drawing: 0.1, 0.1)
            device.launch(Self.half).removeExperimentDrawIfExisted("exp")
            for _ in 1...2 { #expect(device.variant(in: Self.half) == "exp_a") }
            #expect(own.defaults.string(forKey: "exp_ExperimentResult") == "exp_b", "only read")
            let later = Device(.userDefaults(try #require(UserDefaults(suiteName: own.name))))
            #expect(later.variant(in: Self.half) == "exp_a" && later.chance.count == 0)
        }

        @Test func suitesAreSeparate() {
            let names = ["a", "A", "a/b", "a%2fb", "../a", "é", "e\u{301}", String(repeating: "x", count: 300)]
            let paths = (names + [names[7] + "y"]).map { ProgramStorage.directory(ofSuite: $0) }
            #expect(Set(paths).count == 9)
            #expect(paths.allSatisfy { ($0.split(separator: "/").last?.utf8.count ?? 0) < 255 && !$0.contains("..") })
        }
    }
#endif
