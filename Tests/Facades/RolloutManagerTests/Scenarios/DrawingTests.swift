/// First draws: scenarios B-2, B-3, B-5 and B-22.
@Suite struct DrawingTests {
    @Test("B-2: weights 70 and 30 divide the draws at 0.7")
    func b02SharesFollowWeights() {
        let configuration = experiment(["a": 70, "b": 30])
        #expect(Device(drawing: 0.7).variant(in: configuration) == "exp_a")
        #expect(Device(drawing: 0.700001).variant(in: configuration) == "exp_b")
        #expect(Device(drawing: 1).variant(in: configuration) == "exp_b")
        #expect(Device(drawing: 0.000001).variant(in: configuration) == "exp_a")
        let draws = rounds(1_000, thorough: 10_000)
        let first = (1...draws).count {
            Device(drawing: Double($0) / Double(draws)).variant(in: configuration) == "exp_a"
        }
        #expect(first * 10 == draws * 7)
    }

    @Test(
        "B-2: shares of many devices are within statistical bounds",
        arguments: isThorough ? [1, 2, 3] : [1] as [UInt64])
    func b02SharesAreWithinChance(seed: UInt64) {
        let random = SeededRandomSource(seed: seed)
        let weights = ["a": 10, "b": 20, "c": 25, "d": 45]
        var counts: [String: Int] = [:]
        let devices = rounds(1_000, thorough: 10_000)
        for _ in 0..<devices {
            var services = Device().services()
            (services.random, services.draws) = (random, .memory)
            let manager = ADRolloutManager(services: services)
            manager.setup(withConfiguration: experiment(weights))
            counts[manager.variant(byExperimentId: "exp", defaultResult: "none"), default: 0] += 1
        }
        let statistic = weights.reduce(0) { sum, variant in
            let expected = Double(variant.value * devices) / 100
            let difference = Double(counts["exp_\(variant.key)"] ?? 0) - expected
            return sum + difference * difference / expected
        }
        // Chi-square with three degrees of freedom; exceeded by chance once in a thousand times.
        #expect(statistic < 16.27, "seed \(seed): \(counts)")
    }

    @Test("B-3: weights 7 and 3 mean the same as 70 and 30", arguments: [0.000001, 0.5, 0.7, 0.700001, 1])
    func b03OnlyProportionsCount(number: Double) {
        let variants = [["a": 7, "b": 3], ["a": 70, "b": 30], ["a": 0.7, "b": 0.3]].map {
            Device(drawing: number).variant(in: experiment($0))
        }
        #expect(Set(variants).count == 1)
    }

    @Test("B-5: a second call returns the same result without a draw", arguments: [true, false])
    func b05SecondCallDrawsNothing(isSticky: Bool) {
        let device = Device(drawing: 0.9, 0.1)
        let manager = device.launch(experiment(["a": 50, "b": 50], ["is_sticky": isSticky]))
        #expect(manager.variant(byExperimentId: "exp", defaultResult: "none") == "exp_b")
        #expect(manager.variant(byExperimentId: "exp", defaultResult: "none") == "exp_b")
        #expect(device.chance.count == 1)
    }

    @Test("B-22: meaningless weights give the default, and never trap", arguments: [true, false])
    func b22MeaninglessWeightsGiveTheDefault(isSticky: Bool) {
        let settings = ["is_sticky": isSticky]
        let nothing: [[String: Any]] = [
            ["a": 0, "b": 0], [:], ["a": -50, "b": -50], ["a": "abc"], ["a": Double.nan], ["a": Double.infinity],
        ]
        for variants in nothing {
            #expect(Device(drawing: 0.5).variant(in: experiment(variants, settings)) == "none", "\(variants)")
        }
    }

    @Test("B-22: a variant without weight is never chosen; strings are parsed as numbers, and fractions are used")
    func b22UnusualWeightsAreParsed() {
        func variants(_ weights: [String: Any], _ numbers: Double...) -> [String] {
            numbers.map { Device(drawing: $0).variant(in: experiment(weights)) }
        }
        #expect(variants(["a": 0, "b": 100], 0.000001, 1) == ["exp_b", "exp_b"])
        #expect(variants(["a": 100, "b": -100], 0.000001, 1) == ["exp_a", "exp_a"])
        #expect(variants(["a": "70", "b": "abc", "c": "30"], 0.7, 0.700001) == ["exp_a", "exp_c"])
        #expect(variants(["a": true, "b": false], 1) == ["exp_a"])
        #expect(variants(["a": 0.7, "b": 0.3], 0.7, 0.700001) == ["exp_a", "exp_b"])
        #expect(variants(["a": 33.3, "b": 33.3, "c": 33.4], 0.332, 0.665, 1) == ["exp_a", "exp_b", "exp_c"])
        let twelve = Dictionary(uniqueKeysWithValues: (10..<22).map { ("v\($0)", 1) })
        #expect(variants(twelve, 1) == ["exp_v21"])
        #expect(variants(["a": 1, "b": 78, "c": 21], 1) == ["exp_c"])
        #expect(variants(["a": NSNumber(value: 70), "b": Int8(30)], 0.700001) == ["exp_b"])
    }
}
