package import TurnoutClient
import TurnoutEngine
package import TurnoutFlags

/// Publishes datafiles from files, and again whenever a file changes.
///
/// An edit that cannot be used replaces nothing: it is logged, reported as a problem of the directory, and tried again
/// after the next change. A file that fails is read once more before that, because it may have been half written.
package final class WatchedDatafiles: Sendable {
    /// The contents of the files.
    package struct Contents: Sendable {
        /// The datafiles by SDK key.
        package var datafiles: [String: [UInt8]]
        /// The problems of individual files, whose datafiles stay as they were.
        package var problems: [String]
        /// What a user may expect of the files, but does not get. Logged when it is new. Default: none.
        package var warnings: [String] = []
        /// The segments that the datafiles' project defines. Default: none.
        package var segments: [AuthoredSegment] = []
        /// The configurations for RolloutManager that the project defines. Default: none.
        package var configurations: [AuthoredConfiguration] = []
        /// The designs of experiments, by the rule's id. Only a project file has them. Default: none.
        package var designs: [String: ExperimentDesign] = [:]
        /// The SDK key of the project's first environment. Default: nil, there is no order.
        package var firstKey: String?

        package init(_ datafiles: [String: [UInt8]], problems: [String] = []) {
            self.datafiles = datafiles
            self.problems = problems
        }
    }

    private struct State {
        var fingerprint: [FileFingerprint] = []
        /// The SDK keys whose datafiles were published from the files.
        var published: Set<String> = []
        var hasFailedOnce = false
        var hasProblem = false
        var warnings: [String] = []
    }

    private let name: String
    private let directory: DatafileDirectory
    private let configure: @Sendable ([AuthoredConfiguration]) -> Void
    private let log: any Log
    private let fingerprint: @Sendable () -> [FileFingerprint]
    private let load: @Sendable () throws -> Contents
    private let state = Locked(State())

    /// Creates a source.
    ///
    /// - Parameters:
    ///   - name: The name in log entries and the status, such as `flags.yaml`.
    ///   - directory: Receives the datafiles.
    ///   - log: Receives changes and failures.
    ///   - configure: Receives the configurations for RolloutManager. Default: they are not used.
    ///   - fingerprint: The states of the watched files.
    ///   - load: Reads the files. Throws if nothing can be used.
    package init(
        _ name: String, into directory: DatafileDirectory, log: any Log,
        configure: @escaping @Sendable ([AuthoredConfiguration]) -> Void = { _ in },
        fingerprint: @escaping @Sendable () -> [FileFingerprint], load: @escaping @Sendable () throws -> Contents
    ) {
        self.name = name
        self.directory = directory
        self.configure = configure
        self.log = log
        self.fingerprint = fingerprint
        self.load = load
    }

    /// Reads the files for the first time.
    ///
    /// - Throws: The error of reading: a server should not start without flags because of a typing error.
    package func start() throws {
        state.withLock { $0.fingerprint = fingerprint() }
        let contents = try load()
        if let problem = publish(contents) { throw DatafileSourceProblem(problem) }
    }

    /// Reads the files again if one has changed, or if another source had the same SDK key and has removed it. Reads
    /// files and blocks, so call it on a thread that may.
    package func check() {
        let now = fingerprint()
        let (isSettled, retries, published) = state.withLock { state in
            defer { state.fingerprint = now }
            return (state.fingerprint == now, state.hasFailedOnce, state.published)
        }
        let isRemoved = published.contains { directory[$0] == nil }
        guard !isSettled || retries || isRemoved else { return }
        reload(isFinal: isSettled)
    }

    /// Reads the files again, whether one has changed or not.
    package func reload() { reload(isFinal: true) }

    private func reload(isFinal: Bool) {
        var problem: DatafileSourceProblem?
        do { problem = publish(try load()).map { DatafileSourceProblem($0) } } catch {
            problem = error as? DatafileSourceProblem ?? DatafileSourceProblem("\(error)")
        }
        state.withLock { $0.hasFailedOnce = problem != nil && !isFinal }
        if problem != nil, !isFinal { return }
        directory.report(problem, of: name)
        let hadProblem = state.withLock { state in
            defer { state.hasProblem = problem != nil }
            return state.hasProblem
        }
        guard let problem else {
            if hadProblem { log(.info, "\(name): can be used again") }
            return
        }
        // What cannot be published now is not tried again before the next change of a file.
        state.withLock { state in state.published = state.published.filter { directory[$0] != nil } }
        for diagnostic in problem.diagnostics { log(.error, diagnostic.text(in: problem.file ?? name)) }
        let prefix = problem.description.hasPrefix((problem.file ?? name) + ":") ? "" : name + ": "
        log(.error, "\(prefix)\(problem); the datafiles served before stay in use")
    }

    /// Publishes datafiles, and removes those of SDK keys that are gone unless a file could not be read.
    ///
    /// - Returns: What is wrong, or nil.
    private func publish(_ contents: Contents) -> String? {
        var problems = contents.problems
        warn(contents.warnings)
        var published: Set<String> = []
        directory.define(contents.designs, by: name)
        directory.setFirst(contents.firstKey, by: name)
        for (sdkKey, bytes) in contents.datafiles.sorted(by: { $0.key < $1.key }) {
            do throws(DatafileError) {
                let previous = directory[sdkKey]
                try directory.publish(bytes, for: sdkKey)
                published.insert(sdkKey)
                if let datafile = directory[sdkKey] { logChange(datafile, from: previous) }
            } catch { problems.append("\(error)") }
        }
        guard problems.isEmpty else {
            state.withLock { $0.published.formUnion(published) }
            return problems.joined(separator: "; ")
        }
        configure(contents.configurations)
        let gone = state.withLock { state in
            defer { state.published = published }
            return state.published.subtracting(published)
        }
        for sdkKey in gone.sorted() {
            directory.remove(sdkKey)
            log(.warning, "\(name): SDK key \(sdkKey.keyLabel) is not served any more")
        }
        let projects = Set(contents.datafiles.keys.compactMap { directory[$0]?.project.projectID })
        directory.define(
            projects.sorted().flatMap { project in contents.segments.map { DefinedSegment($0, of: project) } },
            by: name)
        return nil
    }
}

extension WatchedDatafiles {
    private func logChange(_ datafile: ServedDatafile, from previous: ServedDatafile?) {
        guard datafile.entityTag != previous?.entityTag else { return }
        let (revision, key) = (datafile.project.revision, datafile.sdkKey.keyLabel)
        log(.info, "\(name): serving revision \(revision) for SDK key \(key)")
        guard let previous, previous.project.revision == revision else { return }
        log(
            .warning,
            "\(name): the datafile for SDK key \(key) has changed, but its revision has not: the vendor's clients "
                + "ignore the change; raise the revision")
    }

    /// Logs the warnings that the last reading did not have.
    private func warn(_ warnings: [String]) {
        let known = state.withLock { state in
            defer { state.warnings = warnings }
            return state.warnings
        }
        for warning in warnings where !known.contains(warning) { log(.warning, warning) }
    }
}

/// Why a source cannot be used.
package struct DatafileSourceProblem: Error, CustomStringConvertible, Equatable {
    package let description: String
    /// The places of a project file that are wrong. Default: none.
    package let diagnostics: [Diagnostic]
    /// The project file with these places. Default: the source is one.
    package let file: String?
    /// What to do, for who starts the server. Default: none.
    package let advice: String?

    package init(
        _ description: String, _ diagnostics: [Diagnostic] = [], in file: String? = nil, advice: String? = nil
    ) {
        self.description = description
        self.file = file
        self.diagnostics = diagnostics
        self.advice = advice
    }
}
