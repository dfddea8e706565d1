import TurnoutFlags

/// Exports of the vendor's application become project files with flags, of which nothing is skipped in silence.
@Suite struct ExportTests {
    private static let exports = (0..<UInt64(rounds(10, thorough: 100))).flatMap { RandomExport.datafiles(seed: $0) }

    @Test func exportsAreImportedWithFlagsAndDecideAlike() throws {
        for export in Self.exports {
            let imported = try DatafileImport(Array(export.utf8))
            let original = try Project(datafile: Array(export.utf8))
            let text = ProjectWriter.node(of: imported.project).json
            let project = try AuthoredProject.read(json: text)
            #expect(project.flags.map(\.key) == original.flags.map(\.key), "\(export)")
            let lint = ProjectLint(project, lock: imported.lock, datafile: original).findings
            #expect(lint.filter { $0.code == "not-checked" }.map(\.message) == [], "\(export)")
            let compiled = ProjectCompiler(project, lock: try LockFile(text: imported.lock.text)).compile()
            #expect(compiled.diagnostics.all == [])
            let bytes = try #require(compiled.datafiles.first?.bytes)
            try expectNoImpact(original, try Project(datafile: bytes), export)
        }
    }

    private func expectNoImpact(_ before: Project, _ after: Project, _ export: String) throws {
        let pair = ProjectPair(before, after)
        #expect(pair.notCompared == [], "\(export)")
        var count = ImpactCount(pair, exampleLimit: 1)
        let population = Population(.description(PopulationDescription(audiencesOf: [before, after])), seed: 1)
        for number in 1...rounds(20, thorough: 50) {
            let user = population.user(number)
            count.add(user, profile: UserProfile(), place: number)
            for experiment in before.experiments.map(\.key) {
                let (old, new) = (
                    before.decideExperiment(experiment, for: user), after.decideExperiment(experiment, for: user)
                )
                #expect(old?.variation?.id == new?.variation?.id, "\(experiment) for \(user.id) in \(export)")
            }
        }
        let names = (old: "original", new: "compiled")
        let summary = ImpactSummary(count, of: pair, names: names, source: "users", isSample: false)
        #expect(summary.flags.map(\.key) == [], "\(export)")
        #expect(summary.addedFlags + summary.removedFlags == [])
    }

    /// An edit of any experiment in the vendor's application is said in words, and moves users or is named.
    @Test func editsOfExportsAreComparedInWords() throws {
        for export in Self.exports {
            // Holdouts, which have no layer, cannot be paused.
            let edited = export.replacing(/("layerId":"[0-9]+",)"status":"Running"/) { $0.1 + #""status":"Paused""# }
                .replacing(#""defaultValue":"3""#, with: #""defaultValue":"5""#)
            let (old, new) = (try DatafileImport(Array(export.utf8)), try DatafileImport(Array(edited.utf8)))
            let comparison = ProjectComparison(from: old.project, to: new.project, locks: (old.lock, new.lock))
            #expect(comparison.notCompared == [], "\(export)")
            #expect(
                comparison.changes.filter { $0.detail.contains("datafile member") && !$0.detail.contains("status") }
                    == [])
            let pausesExperiment = old.project.flags.flatMap(\.rules.experiments).contains { $0.status == .running }
            #expect(!pausesExperiment || !comparison.changes.isEmpty, "\(export)")
        }
    }

    /// What has no word in a project file is carried for its part alone, and named by the import, `lint` and `diff`.
    @Test func whatHasNoWordIsCarriedAndNamed() throws {
        for export in Self.exports where export.contains(#""forcedVariations":{"ada""#) {
            let odd = export.replacing(#""ada":"control""#, with: #""ada":"unknown""#)
            let (plain, imported) = (try DatafileImport(Array(export.utf8)), try DatafileImport(Array(odd.utf8)))
            #expect(imported.project.flags.map(\.key) == plain.project.flags.map(\.key))
            let carried = imported.project.carriedParts.filter { !$0.uncheckedMembers.isEmpty }
            #expect(!carried.isEmpty && carried.allSatisfy { $0.uncheckedMembers == ["forcedVariations"] })
            let datafile = try Project(datafile: Array(odd.utf8))
            let findings = ProjectLint(imported.project, lock: imported.lock, datafile: datafile).findings
            #expect(findings.count { $0.code == "not-checked" } == carried.count)
            for part in carried {
                let note = imported.notes.first { $0.message.hasPrefix("\(part.name): ") }
                #expect(note?.position != nil && note?.message.contains("because") == true, "\(part.name)")
            }
            let comparison = ProjectComparison(from: plain.project, to: imported.project)
            #expect(comparison.notCompared == carried.map { "forcedVariations of \($0.name)" })
        }
    }
}
