#if SQLite
    import TurnoutSQLite
#endif

/// The page's example. Its edge cases are among the scenarios.
@Suite struct PageTests {
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
}
