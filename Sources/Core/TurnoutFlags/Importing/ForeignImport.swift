import TurnoutEngine

/// A project created from the flags of another tool.
///
/// A rule is translated exactly or not at all; one with an unknown key is not. If a rule cannot be translated, users
/// that it may apply to get the flag's default, and later rules apply only to other users. Rule 2 of the flag `a` has
/// the key `a_rule2`, and the rule for users that it may apply to `a_rule2_fallback`.
///
/// Attributes are expected to have the type that the file compares them with; a missing attribute is treated as that
/// tool does.
package enum ForeignImport {
    /// The files that can be imported.
    package enum Format: String, Sendable, CaseIterable {
        /// The flags of flagd: variants, and targeting in JsonLogic.
        case flagd
        /// The flags of GO Feature Flag: variations, and targeting by queries.
        case goFeatureFlag = "go-feature-flag"
        /// The features of GrowthBook, as its clients download them.
        case growthBook = "growthbook"

        /// The format of a file, judged by its content; nil if it is none of these.
        package static func recognized(in root: Node) -> Format? {
            func has(_ keys: [String], in flags: Node?) -> Bool {
                flags?.members.contains { member in keys.contains { member.value[$0] != nil } } ?? false
            }
            if has(["variants", "state"], in: root["flags"]) || root["flags"]?.elements.first?["variants"] != nil {
                return .flagd
            }
            if root["features"] != nil || root["encryptedFeatures"] != nil { return .growthBook }
            if has(["variations"], in: root), has(["defaultRule", "targeting"], in: root) { return .goFeatureFlag }
            return has(["defaultValue"], in: root) ? .growthBook : nil
        }
    }

    /// Translates the flags of a file.
    ///
    /// - Parameters:
    ///   - root: The content of the file.
    ///   - format: The tool that the file is for.
    ///   - source: The file.
    ///   - environment: The key of the project's only environment.
    /// - Returns: The project, and a warning for each part that has no translation. The first warning is about users
    ///   of percentages, whose variation changes because the hash does.
    /// - Throws: Errors, if the file has no flags in this format.
    /// - Complexity: O(n · d) for a file of n bytes with conditions nested d levels deep.
    package static func read(
        _ root: Node, as format: Format, in source: SourceFile, environment: String = "production"
    ) throws(Diagnostics) -> (project: AuthoredProject, notes: [Diagnostic]) {
        let flags: [Node.Member]?
        switch format {
        case .flagd: flags = FlagdReader.flags(in: root)
        case .goFeatureFlag: flags = root.isMapping ? root.members.filter { $0.key.text != "$schema" } : nil
        case .growthBook: flags = GrowthBookReader.features(in: root)
        }
        guard let flags, !flags.isEmpty else { throw Diagnostics([noFlags(root, format, source)]) }
        var project = ForeignProject(environment: environment, in: source)
        switch format {
        case .flagd:
            FlagdReader.omitOthers(in: root, &project)
            project.omitUnused("$evaluators", of: root, in: flags, namedBy: ["$ref"])
            var reader = FlagdReader(evaluators: root["$evaluators"])
            for flag in flags { project.add(flag) { reader.read($0, &$1) } }
        case .goFeatureFlag: for flag in flags { project.add(flag) { GoFeatureFlagReader.read($0, &$1) } }
        case .growthBook:
            let reader = GrowthBookReader(flags, savedGroups: root["savedGroups"])
            if let note = reader.noteOnUserIDs { project.note(note) }
            if let experiments = root["experiments"], !experiments.elements.isEmpty {
                project.reportUntranslatable(
                    "experiments without a feature change web pages, and are left out", at: experiments)
            }
            GrowthBookReader.omitOthers(in: root, &project)
            project.omitUnused("savedGroups", of: root, in: flags, namedBy: ["$inGroup", "$notInGroup"])
            for flag in flags { project.add(flag) { reader.read($0, &$1) } }
            project.noteNamespaces()
        }
        return (project.authored, project.notes)
    }

    private static func noFlags(_ root: Node, _ format: Format, _ source: SourceFile) -> Diagnostic {
        let encrypted = format == .growthBook && root["encryptedFeatures"] != nil
        return Diagnostic(
            .error, "no-flags",
            encrypted ? "the features are encrypted" : "the file has no flags in the format \(format.rawValue)",
            advice: encrypted ? "use an SDK connection without encryption" : nil,
            at: source.position(of: root.range.lowerBound))
    }
}

extension Node {
    /// The number that it is.
    var number: Double? { text == nil ? nil : jsonValue.number }

    /// Whether it is `true`.
    var isTrue: Bool { text != nil && jsonValue == .bool(true) }
}
