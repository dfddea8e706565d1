/// How devices react to configuration changes: scenarios B-6 to B-13, B-26 and B-27.
@Suite struct ChangingTests {
    private static let sticky = ["is_sticky": true]

    @Test("B-6: sticky users keep their variant when weights change, new users follow the new weights")
    func b06StickyUsersStay() {
        let device = Device(drawing: 0.44)
        #expect(device.variant(in: experiment(["a": 100, "b": 0], Self.sticky)) == "exp_a")
        #expect(device.variant(in: experiment(["a": 0, "b": 100], Self.sticky)) == "exp_a")
        #expect(Device(drawing: 0.44).variant(in: experiment(["a": 0, "b": 100], Self.sticky)) == "exp_b")
    }

    @Test("B-7: other users switch with the weights")
    func b07OthersSwitch() {
        let device = Device(drawing: 0.44)
        #expect(device.variant(in: experiment(["a": 100, "b": 0])) == "exp_a")
        #expect(device.variant(in: experiment(["a": 0, "b": 100])) == "exp_b")
    }

    @Test("B-8: no longer sticky: the stored number decides again")
    func b08NoLongerSticky() {
        let device = Device(drawing: 0.44, 0.9)
        #expect(device.variant(in: experiment(["a": 50, "b": 50], Self.sticky)) == "exp_a")
        #expect(device.variant(in: experiment(["a": 40, "b": 60], ["is_sticky": false])) == "exp_b")
        #expect(device.variant(in: experiment(["a": 44, "b": 56])) == "exp_a")
        #expect(device.chance.count == 1)
    }

    @Test("B-9: newly sticky: users keep their current variant, not their first")
    func b09StickyFromNowOn() {
        let device = Device(drawing: 0.44)
        #expect(device.variant(in: experiment(["a": 100, "b": 0])) == "exp_a")
        #expect(device.variant(in: experiment(["a": 0, "b": 100])) == "exp_b")
        #expect(device.variant(in: experiment(["a": 100, "b": 0], Self.sticky)) == "exp_b")
    }

    @Test("B-10: deleted, requested, restored: a new draw")
    func b10DeletedAndRequested() {
        let device = Device(drawing: 0.1, 0.9)
        let configuration = experiment(["a": 50, "b": 50], Self.sticky)
        #expect(device.variant(in: configuration) == "exp_a")
        #expect(device.variant(in: [:]) == "none")
        #expect(device.variant(in: configuration) == "exp_b")
        #expect(device.chance.count == 2)
    }

    @Test("B-11: deleted, not requested, restored: the old draw")
    func b11DeletedAndNotRequested() {
        let device = Device(drawing: 0.1, 0.9)
        let configuration = experiment(["a": 50, "b": 50], Self.sticky)
        #expect(device.variant(in: configuration) == "exp_a")
        #expect(device.variant("other", in: [:]) == "none")
        #expect(device.variant(in: configuration) == "exp_a")
    }

    @Test("B-12: a sticky variant is removed: its replacement is sticky, too")
    func b12ReplacementIsSticky() {
        let device = Device(drawing: 0.1)
        #expect(device.variant(in: experiment(["a": 50, "b": 25, "c": 25], Self.sticky)) == "exp_a")
        #expect(device.variant(in: experiment(["b": 50, "c": 50], Self.sticky)) == "exp_b")
        #expect(device.variant(in: experiment(["b": 0, "c": 100], Self.sticky)) == "exp_b")
    }

    @Test("B-13: a removed variant is restored: users keep the replacement")
    func b13ReplacementStays() {
        let device = Device(drawing: 0.1)
        #expect(device.variant(in: experiment(["a": 50, "b": 50], Self.sticky)) == "exp_a")
        #expect(device.variant(in: experiment(["b": 50], Self.sticky)) == "exp_b")
        #expect(device.variant(in: experiment(["a": 50, "b": 50], Self.sticky)) == "exp_b")
    }

    @Test("B-26: the next launch gives the same result: variants are ordered by name")
    func b26NextLaunchGivesTheSame() async {
        let own = OwnDefaults()
        defer { withExtendedLifetime(own) {} }
        let first = Device(.userDefaults(own.defaults), drawing: 0.42).variant(in: Self.twentyVariants)
        #expect(first == "exp_v18")
        await #expect(processExitsWith: .success) { [name = own.name as String] in
            let defaults = try #require(UserDefaults(suiteName: name))
            let next = Device(.userDefaults(defaults), drawing: 0.9).variant(in: Self.twentyVariants)
            try #require(next == "exp_v18")
        }
    }

    private static var twentyVariants: [AnyHashable: Any] {
        experiment(Dictionary(uniqueKeysWithValues: (10..<30).map { ("v\($0)", 5) }))
    }

    @Test("B-27: a ramp from 10 to 40 to 100: no user loses the feature")
    func b27RampOnlyGrows() {
        let random = SeededRandomSource(seed: 27)
        let devices = (0..<1_000).map { _ in Device(drawing: Double(random.next() % 1_000_000 + 1) / 1_000_000) }
        var before: Set<Int> = []
        for share in [10, 40, 100] {
            let configuration = experiment(["feature": share, "nothing": 100 - share])
            let now = Set(devices.indices.filter { devices[$0].variant(in: configuration) == "exp_feature" })
            #expect(now.isSuperset(of: before))
            #expect(abs(now.count - share * 10) < 50)
            before = now
        }
        #expect(before.count == 1_000)
    }
}
