/// Configurations at launch, and data of earlier versions: scenarios B-21, B-24, B-25 and B-29.
@Suite struct StartingTests {
    private let own = OwnDefaults()

    @Test("B-21: 12 concurrent first calls: all get the same result, and one draw is stored", arguments: [true, false])
    func b21ThreadsAgree(hasDefaults: Bool) {
        let device = Device(hasDefaults ? .userDefaults(own.defaults) : .memory)
        var services = device.services()
        services.random = SeededRandomSource(seed: 21)
        let manager = ADRolloutManager(services: services)
        manager.setup(withConfiguration: experiment(["a": 50, "b": 50], ["is_sticky": true]))
        for round in 0..<50 {
            let found = Locked<[String]>([])
            onThreads(12) { _ in
                let variant: String = manager.variant(byExperimentId: "exp", defaultResult: "none")
                found.withLock { $0.append(variant) }
            }
            let all = found.withLock { $0 }
            #expect(all.count == 12 && Set(all).count == 1, "round \(round)")
            #expect(manager.variant(byExperimentId: "exp", defaultResult: "none") == all[0])
            manager.removeExperimentDrawIfExisted("exp")
        }
    }

    @Test("B-24: the page's dictionary without its last brace: experiment_02 gives the default")
    func b24DictionaryWithoutItsLastBrace() {
        let configuration: [AnyHashable: Any] = [
            "experiment_01": pageConfiguration["experiment_01"] as Any,
            "experiment_02": ["Settings": ["is_sticky": false, "supported_languages": "en,he"]],
            "Variants": ["variant_01": 0, "variant_02": 100],
        ]
        let device = Device(drawing: 0.5)
        #expect(device.variant("experiment_02", in: configuration) == "none")
        #expect(device.variant("Variants", in: configuration) == "none")
        #expect(device.variant("experiment_01", in: configuration) == "experiment_01_variant_01")
        #expect(device.warnings.contains { $0.contains("\"experiment_02\", Variants: missing") })
        #expect(device.warnings.contains { $0.contains("\"Variants\", variant_01: no such key") })
    }

    @Test("B-25: the number of an early version is migrated to the new key")
    func b25EarlyVersions() {
        own.defaults.set(44, forKey: "exp_ExperimentNumberKey")
        let device = Device(DrawStorage(UserDefaultsDrawStore(own.defaults)), drawing: 0.9)
        #expect(device.variant(in: experiment(["a": 44, "b": 56])) == "exp_a")
        #expect(device.variant(in: experiment(["a": 43, "b": 57])) == "exp_b")
        #expect(own.defaults.object(forKey: "exp_ExperimentNumberKey") == nil)
        #expect(own.defaults.double(forKey: "exp_ExperimentRandomNumber") == 0.44)
        #expect(own.defaults.string(forKey: "exp_ExperimentResult") == "exp_b")
        #expect(device.chance.count == 0)
        // It is ignored if there are new keys.
        own.defaults.set(99, forKey: "exp_ExperimentNumberKey")
        #expect(device.variant(in: experiment(["a": 44, "b": 56])) == "exp_a")
    }

    @Test("B-29: not set up, or without a configuration: returns the default, and draws are kept")
    func b29NotSetUp() {
        let manager = ADRolloutManager(services: Device().services())
        #expect(manager.variant(byExperimentId: "exp", defaultResult: "none") == "none")
        let device = Device(drawing: 0.1, 0.9)
        let configuration = experiment(["a": 50, "b": 50], ["is_sticky": true])
        #expect(device.variant(in: configuration) == "exp_a")
        #expect(device.variant(in: nil) == "none")
        #expect(device.variant(in: configuration) == "exp_a")
    }
}

/// Runs work concurrently on new threads, and waits for them.
private func onThreads(_ count: Int, _ work: @escaping @Sendable (_ number: Int) -> Void) {
    let group = DispatchGroup()
    for number in 0..<count {
        group.enter()
        Thread.detachNewThread {
            work(number)
            group.leave()
        }
    }
    group.wait()
}
