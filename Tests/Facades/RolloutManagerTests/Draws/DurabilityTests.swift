#if SQLite
    import TurnoutRollouts
    import TurnoutSQLite

    /// Draws survive the process, and stay valid even if they cannot be stored.
    @Suite struct DurabilityTests {
        private static var half: [AnyHashable: Any] { experiment(["a": 50, "b": 50], ["is_sticky": true]) }

        @Test func aDrawPersistsAcrossProcesses() throws {
            let directory = try OwnDirectory()
            #expect(Device(.directory(directory.path), drawing: 0.9).variant(in: Self.half) == "exp_b")
            let later = Device(.directory(directory.path), drawing: 0.1)
            #expect(later.variant(in: Self.half) == "exp_b")
            #expect(later.variant(in: experiment(["a": 100, "b": 0], ["is_sticky": true])) == "exp_b")
            #expect(later.chance.count == 0)
        }

        @Test func anExperimentIsOneRow() throws {
            let directory = try OwnDirectory()
            let storage = try SQLiteStorage(directory: directory.path)
            let device = Device(DrawStorage(SettingsDrawStore(storage.settings)), drawing: 0.44)
            for configuration in [Self.half, experiment(["a": 0, "b": 1]), experiment(["a": 1, "b": 0])] {
                _ = device.variant(in: configuration)
            }
            #expect(try storage.settings.get("rollout/exp") == "0.44 a")
            device.launch(Self.half).removeExperimentDrawIfExisted("exp")
            #expect(try storage.settings.get("rollout/exp") == nil)
        }

        @Test func concurrentStoresAgree() async throws {
            let directory = try OwnDirectory()
            let variants = await withTaskGroup(of: String.self) { group in
                for number in 1...12 {
                    group.addTask {
                        Device(.directory(directory.path), drawing: Double(number) / 12).variant(in: Self.half)
                    }
                }
                return await group.reduce(into: Set()) { $0.insert($1) }
            }
            #expect(variants.count == 1)
        }

        @Test func concurrentFirstDrawsOfProcessesAgree() async throws {
            let directory = try OwnDirectory()
            await concurrently(1...4) { number in
                await #expect(processExitsWith: .success) { [path = directory.path as String, number = number as Int] in
                    let device = Device(.directory(path), drawing: number % 2 == 0 ? 0.1 : 0.9)
                    let variant = device.variant(in: Self.half)
                    try Data(variant.utf8).write(to: URL(filePath: "\(path)/\(number)"))
                }
            }
            let variants = try (1...4).map { try String(contentsOfFile: directory.file("\($0)"), encoding: .utf8) }
            #expect(Set(variants).count == 1 && variants[0].hasPrefix("exp_"))
            #expect(Device(.directory(directory.path), drawing: 0.5).variant(in: Self.half) == variants[0])
        }

        @Test func drawsOfTheVendorsLibraryAreMigrated() throws {
            let name = "turnout-rollout-\(UUID().uuidString)"
            defer {
                UserDefaults.standard.removeObject(forKey: "\(name)_ExperimentResult")
                UserDefaults.standard.removeObject(forKey: "\(name)_ExperimentRandomNumber")
            }
            UserDefaults.standard.set("\(name)_b", forKey: "\(name)_ExperimentResult")
            UserDefaults.standard.set(0.9, forKey: "\(name)_ExperimentRandomNumber")
            let directory = try OwnDirectory()
            let storage = try SQLiteStorage(directory: directory.path)
            let configuration: [AnyHashable: Any] = [
                name: ["Variants": ["a": 100, "b": 0], "Settings": ["is_sticky": true]] as [String: Any]
            ]
            try ProgramStorage.$chosen.withValue(storage) { () throws in
                let device = Device(.ofThisProgram, drawing: 0.1)
                #expect(device.variant(name, in: configuration) == "\(name)_b")
                #expect(try storage.settings.get("rollout/\(name)") == "0.9 b")
                device.launch(configuration).removeExperimentDrawIfExisted(name)
                #expect(UserDefaults.standard.string(forKey: "\(name)_ExperimentResult") == "\(name)_b", "only read")
                #expect(device.variant(name, in: configuration) == "\(name)_a")
            }
        }

        @Test func theStandardDefaultsUseTheStorageOfTheProgram() throws {
            let directory = try OwnDirectory()
            let storage = try SQLiteStorage(directory: directory.path)
            ProgramStorage.$chosen.withValue(storage) {
                let manager = ADRolloutManager()
                manager.setup(
                    withConfiguration: Self.half, userDefaults: .standard, userPreferedLanguage: "en",
                    userCurrentLocale: Locale(identifier: "en_US"))
                #expect(manager.variant(byExperimentId: "exp", defaultResult: "none") != "none")
            }
            #expect(try storage.settings.get("rollout/exp") != nil)
        }

        @Test func aDrawIsStableIfItCannotBeStored() {
            let device = Device(DrawStorage(BrokenStore()), drawing: 0.9, 0.1, 0.1)
            let manager = device.launch(Self.half)
            let variants = (0..<4).map { _ in manager.variant(byExperimentId: "exp", defaultResult: "none") }
            #expect(variants == Array(repeating: "exp_b", count: 4))
            #expect(device.warnings.allSatisfy { $0.contains("\"exp\" could not be stored") })
            #expect(device.warnings.allSatisfy { $0.hasSuffix(": Failure()") })
        }

        @Test func aDrawIsStoredAsSoonAsPossible() throws {
            let store = BrokenStore()
            let device = Device(DrawStorage(store), drawing: 0.9, 0.1)
            #expect(device.variant(in: Self.half) == "exp_b")
            #expect(device.variant(in: Self.half) == "exp_b", "also after another setup")
            #expect(device.warnings.count == 1)
            store.isWhole.withLock { $0 = true }
            #expect(device.variant(in: Self.half) == "exp_b")
            #expect(store.draws.draw(of: "exp") == RolloutDraw(variant: "b", number: 0.9))
        }
    }

    /// Fails until it is repaired.
    private final class BrokenStore: DrawStore {
        struct Failure: Error {}
        let isWhole = Locked(false)
        let draws = MemoryDrawStore()

        func draw(of experiment: String) throws -> RolloutDraw? { draws.draw(of: experiment) }
        func update(_ experiment: String, _ change: (RolloutDraw?) -> RolloutDraw?) throws {
            guard isWhole.withLock({ $0 }) else { throw Failure() }
            draws.update(experiment, change)
        }
    }
#endif
