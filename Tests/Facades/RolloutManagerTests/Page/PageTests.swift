import Foundation
import RolloutManager
import Testing

#if SQLite
    import TurnoutClient
    import TurnoutSQLite
#endif

/// The page's example, and its seven edge cases.
@Suite struct PageTests {
    private static let sticky = ["is_sticky": true]

    #if SQLite
        @Test("The example of the page runs as printed")
        func theExampleRunsAsPrinted() throws {
            let directory = try OwnDirectory()
            let storage = try SQLiteStorage(directory: directory.file("store"))
            var english = RolloutServices()
            (english.language, english.country, english.random) = ("en-IL", "IL", Chance([0.7]))
            ProgramStorage.$chosen.withValue(storage) {
                let rolloutManagerInstance = ADRolloutManager(services: english)
                rolloutManagerInstance.setup(withConfiguration: pageConfiguration)
                let chosenVariant = rolloutManagerInstance.variant(
                    byExperimentId: "experiment_01", defaultResult: "experiment_01_variant_02")
                let again = rolloutManagerInstance.variant(
                    byExperimentId: "experiment_01", defaultResult: "experiment_01_variant_02", customConditions: nil)
                #expect(chosenVariant == "experiment_01_variant_01" && again == chosenVariant)
                let other = rolloutManagerInstance.variant(
                    byExperimentId: "experiment_02", defaultResult: "experiment_02_variant_01")
                #expect(other == "experiment_02_variant_02" && rolloutManagerInstance.warnings.isEmpty)
            }
        }
    #endif

    @Test("Edge case 1: changing the allocation while sticky affects new users only")
    func edgeCase1AllocationOfASticky() {
        let device = Device(drawing: 0.2)
        #expect(device.variant(in: experiment(["a": 70, "b": 30], Self.sticky)) == "exp_a")
        #expect(device.variant(in: experiment(["a": 10, "b": 90], Self.sticky)) == "exp_a")
        #expect(Device(drawing: 0.2).variant(in: experiment(["a": 10, "b": 90], Self.sticky)) == "exp_b")
    }

    @Test("Edge case 2: changing the allocation while not sticky might change the variant")
    func edgeCase2AllocationOfANonSticky() {
        let (moving, staying) = (Device(drawing: 0.2), Device(drawing: 0.05))
        for device in [moving, staying] { #expect(device.variant(in: experiment(["a": 70, "b": 30])) == "exp_a") }
        #expect(moving.variant(in: experiment(["a": 10, "b": 90])) == "exp_b")
        #expect(staying.variant(in: experiment(["a": 10, "b": 90])) == "exp_a")
    }

    @Test("Edge case 3: from sticky to non-sticky cancels the stickiness")
    func edgeCase3StickyToNonSticky() {
        let device = Device(drawing: 0.2)
        #expect(device.variant(in: experiment(["a": 70, "b": 30], Self.sticky)) == "exp_a")
        #expect(device.variant(in: experiment(["a": 10, "b": 90], ["is_sticky": false])) == "exp_b")
    }

    @Test("Edge case 4: from non-sticky to sticky keeps the variant that users have")
    func edgeCase4NonStickyToSticky() {
        let device = Device(drawing: 0.2)
        #expect(device.variant(in: experiment(["a": 70, "b": 30])) == "exp_a")
        #expect(device.variant(in: experiment(["a": 10, "b": 90])) == "exp_b")
        #expect(device.variant(in: experiment(["a": 100, "b": 0], Self.sticky)) == "exp_b")
    }

    @Test("Edge case 5: a deleted experiment gives the default of the code")
    func edgeCase5DeletedExperiment() {
        let device = Device(drawing: 0.2)
        #expect(device.variant(in: experiment(["a": 70, "b": 30], Self.sticky)) == "exp_a")
        #expect(device.variant(in: ["another": ["Variants": ["a": 1]]]) == "none")
    }

    @Test("Edge case 6: a user excluded by a remote filter gets the default of the code")
    func edgeCase6RemoteFilter() {
        let device = Device(drawing: 0.2)
        #expect(device.variant(in: experiment(["a": 70, "b": 30], Self.sticky)) == "exp_a")
        let canada = experiment(["a": 70, "b": 30], ["is_sticky": true, "supported_countries": "CA"])
        #expect(device.variant(in: canada, country: "US") == "none")
    }

    @Test("Edge case 7: a user whose variant was removed is drawn again, although sticky")
    func edgeCase7RemovedVariant() {
        let device = Device(drawing: 0.2)
        #expect(device.variant(in: experiment(["a": 70, "b": 30], Self.sticky)) == "exp_a")
        #expect(device.variant(in: experiment(["b": 30, "c": 70], Self.sticky)) == "exp_b")
    }
}
