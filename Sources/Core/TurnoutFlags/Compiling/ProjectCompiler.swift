import TurnoutEngine

/// Compiles a project to one datafile for each environment.
///
/// ```swift
/// let compiled = ProjectCompiler(project, lock: lock).compile()
/// for datafile in compiled.datafiles { print(datafile.environment, datafile.revision) }
/// ```
///
/// The same project and lock always give the same bytes. A datafile has one line per entity. Rules and holdouts have
/// the order of the project, in which they apply; all other entities are sorted by the bytes of their keys, because
/// their order means nothing.
package struct ProjectCompiler: Sendable {
    private let project: AuthoredProject
    private let lock: LockFile
    private let source: SourceFile?
    private let publishedRevisions: [String: Int]
    private let isServed: Bool

    /// Prepares a compilation.
    ///
    /// - Parameters:
    ///   - project: A project without errors of its reader.
    ///   - lock: The lock of the last compilation; an empty one the first time.
    ///   - source: The file of the project, for the places in diagnostics.
    ///   - publishedRevisions: The revisions of the project's datafiles that the new ones replace, by environment. A
    ///     revision never falls below them. Default: only the lock counts.
    ///   - isServed: Whether the datafiles are served without being compiled into files. The revision of one that the
    ///     lock does not know is then derived from its content. Default: false, it is the next number.
    package init(
        _ project: AuthoredProject, lock: LockFile, source: SourceFile? = nil, publishedRevisions: [String: Int] = [:],
        isServed: Bool = false
    ) {
        self.project = project
        self.lock = lock
        self.source = source
        self.publishedRevisions = publishedRevisions
        self.isServed = isServed
    }

    /// Compiles the project.
    ///
    /// - Complexity: O(n) in the size of all datafiles.
    package func compile() -> CompiledProject {
        var compilation = Compilation(
            project, lock: lock, source: source, publishedRevisions: publishedRevisions, isServed: isServed)
        if let other = lock.projectKey, other != project.key {
            compilation.report(
                .otherProject, "the lock belongs to the project \"\(other)\", not to \"\(project.key)\"",
                advice: "keep each project in a folder of its own; if you renamed the project, change the line "
                    + "[\"project\", …] of the lock", at: project.origin)
        }
        var datafiles: [CompiledDatafile] = []
        for environment in project.environments {
            var compiler = DatafileCompiler(environment, compilation)
            let datafile = compiler.compile()
            compilation = compiler.compilation
            if !compilation.diagnostics.hasErrors { datafiles.append(checked(datafile, &compilation)) }
        }
        compilation.reportUnknownRules()
        compilation.reportCollisions()
        compilation.reportUndecidedTraffic()
        compilation.reportUnusedFormerKeys()
        let diagnostics = compilation.diagnostics.inOrder
        guard !diagnostics.hasErrors else {
            return CompiledProject(datafiles: [], lock: lock, diagnostics: diagnostics)
        }
        return CompiledProject(datafiles: datafiles, lock: compilation.lock.finished(), diagnostics: diagnostics)
    }

    /// Reports a datafile that a client does not read, which only `datafile:` members can cause.
    private func checked(_ datafile: CompiledDatafile, _ compilation: inout Compilation) -> CompiledDatafile {
        do throws(DatafileError) {
            _ = try Project(datafile: datafile.bytes)
            reportMissingRules(in: datafile, &compilation)
        } catch {
            compilation.report(
                .invalidDatafile, "the datafile of \(datafile.environment) would be invalid: \(error)",
                advice: "correct the member that a `datafile` part writes there",
                at: compilation.place(of: error, in: datafile.environment))
        }
        return datafile
    }

    private func reportMissingRules(in datafile: CompiledDatafile, _ compilation: inout Compilation) {
        let flags = project.flags.filter(\.hasCarriedRules)
        guard !flags.isEmpty || !project.verbatim.isEmpty else { return }
        let root: JSONValue
        do throws(JSONError) { root = try JSONValue(parsing: datafile.bytes) } catch { return }
        for name in root.missingRules {
            compilation.report(
                .invalidDatafile,
                "the datafile of \(datafile.environment) would name \(name), which does not exist; the vendor's Python "
                    + "client cannot read it", advice: "correct the member that a `datafile` part writes there",
                at: flags.first { name.hasSuffix(" of flag \($0.key)") }?.origin ?? project.origin)
        }
    }
}

/// The result of compiling a project.
package struct CompiledProject: Sendable {
    /// The datafiles in the order of the environments; none if there are errors.
    package var datafiles: [CompiledDatafile]
    /// The lock to write beside the project; the previous one if there are errors.
    package var lock: LockFile
    package var diagnostics: Diagnostics
}

/// The datafile of an environment.
package struct CompiledDatafile: Sendable {
    package var environment: String
    /// The number of the revision; it grows with every change of the content.
    package var revision: Int
    /// The datafile in UTF-8.
    package var bytes: [UInt8]
    /// The designs of experiments, by the id of the rule. The datafile does not contain them.
    package var designs: [String: ExperimentDesign] = [:]
}

/// The kinds of problems that only the compiler finds, because they concern the lock, the datafiles, or all parts
/// together. All of them are errors.
package enum CompilingProblem: String, Sendable, CaseIterable {
    case unknownFormerKey = "unknown-former-key"
    case retiredFormerKey = "retired-former-key"
    case duplicateFormerKey = "duplicate-former-key"
    case unknownAttribute = "unknown-attribute"
    case unknownEvent = "unknown-event"
    case unknownAudience = "unknown-audience"
    case unknownVariable = "unknown-variable"
    case unknownVariation = "unknown-variation"
    case unknownRule = "unknown-rule"
    case variableType = "variable-type"
    case groupOverlap = "group-overlap"
    case groupTraffic = "group-traffic"
    case audienceCycle = "audience-cycle"
    case conditionDepth = "condition-depth"
    case conditionSize = "condition-size"
    case idCollision = "id-collision"
    case otherProject = "other-project"
    case invalidDatafile = "invalid-datafile"
    case lockSameID = "lock-same-id"
    case lockTwoAllocations = "lock-two-allocations"

    /// The meaning of the code, in one sentence without a period. Codes that the reader has as well mean the same.
    package var meaning: String {
        switch self {
        case .unknownFormerKey: "`was` names a key that the lock does not have"
        case .retiredFormerKey: "`was` names a key that was deleted, whose id is never used again"
        case .variableType: "A variable has another type than in the lock, so programs get their own default"
        case .conditionDepth: "A condition is nested deeper than 100 levels, with the audiences that it names"
        case .conditionSize: "A condition has more than 10,000 parts, with the audiences that it names"
        case .idCollision:
            "The same id is derived from two keys. Rename one, or write the line that the error shows into the lock"
        case .otherProject: "The lock belongs to another project"
        case .invalidDatafile:
            "Clients could not read the datafile because of a `datafile` member: it is not valid, or names a rule that "
                + "does not exist"
        case .lockSameID: "Two keys of the lock have the same id, and the project has both keys"
        case .lockTwoAllocations:
            "Two merged branches have different traffic for a rule, and the project agrees with neither"
        case .duplicateFormerKey, .unknownAttribute, .unknownEvent, .unknownAudience, .unknownVariable,
            .unknownVariation, .unknownRule, .groupOverlap, .groupTraffic, .audienceCycle:
            ReadingProblem(rawValue: rawValue)?.meaning ?? rawValue
        }
    }

    /// Whether the problem is certain even if other parts of the file could not be read.
    var isCertainInPart: Bool {
        switch self {
        case .conditionDepth, .conditionSize, .idCollision, .otherProject: true
        default: false
        }
    }
}
