package import TurnoutClient
import TurnoutFlags
package import TurnoutRollouts

/// The configurations for RolloutManager that a server serves, by name and version: those of project files, and those
/// of files in a folder. The former take precedence, so that one place says what programs get.
///
/// A configuration that cannot be read never replaces a good one.
package final class RolloutDirectory: Sendable {
    /// A configuration, ready to be sent.
    package struct Document: Sendable {
        package let content: SharedBody
        package let entityTag: String
        /// When it was published, or took the place of another one, in seconds since 1970.
        package fileprivate(set) var lastModified: Int64
        /// Whether the file is JSON; otherwise it is a property list.
        package let isJSON: Bool
    }

    private let wallClock: any WallClock
    private let log: any Log
    private struct State {
        var documents: [RolloutKey: Document] = [:]
        var defined: [String: [RolloutKey: Document]] = [:]
        /// The latest time of a removed configuration: one that takes its place is newer.
        var lastRemoved: Int64 = 0

        /// The one with exactly this name and version.
        subscript(key: RolloutKey) -> Document? {
            defined.values.lazy.compactMap { $0[key] }.first ?? documents[key]
        }

        /// The one that programs get.
        func document(for key: RolloutKey) -> Document? { self[key] ?? self[RolloutKey(name: key.name)] }

        /// Makes what is served in the place of a configuration that is gone newer than that, so that clients with
        /// the latter's time get it.
        mutating func renew(_ key: RolloutKey, after previous: Document?) {
            guard let previous else { return }
            lastRemoved = max(lastRemoved, previous.lastModified)
            for key in [key, RolloutKey(name: key.name)] where self[key] != nil {
                for source in defined.keys { defined[source]?[key]?.renew(after: previous) }
                documents[key]?.renew(after: previous)
                return
            }
        }
    }

    private let state = Locked(State())

    /// Creates an empty directory.
    ///
    /// - Parameters:
    ///   - wallClock: Provides the times of changes. Default: the system's.
    ///   - log: Receives probable mistakes. Default: none.
    package init(wallClock: any WallClock = .system, log: any Log = .silent) {
        self.wallClock = wallClock
        self.log = log
    }

    /// The configuration for a program: that of its version, or else the one without a version.
    package func document(for key: RolloutKey) -> Document? {
        state.withLock { $0.document(for: key) }
    }

    /// All names and versions, sorted.
    package var keys: [RolloutKey] {
        let keys = state.withLock { state in
            state.defined.values.reduce(Set(state.documents.keys)) { $0.union($1.keys) }
        }
        return keys.sorted { $0.path < $1.path }
    }

    /// Replaces the configurations that a project file defines. Unchanged content keeps its entity tag and time.
    /// Probable mistakes are logged when the content changes.
    package func define(_ documents: [RolloutKey: [UInt8]], by source: String) {
        let now = wallClock.millisecondsSince1970() / 1_000
        let changed = state.withLock { state in
            let old = state.defined[source] ?? [:]
            let changed = documents.filter { old[$0.key]?.content.bytes != $0.value }
            // Newer than what programs got before, whether it was a file or defined.
            let new = documents.map { key, bytes in
                (key, Document(bytes, replacing: state.document(for: key), after: state.lastRemoved, now: now))
            }
            state.defined[source] = new.isEmpty ? nil : Dictionary(uniqueKeysWithValues: new)
            for (key, previous) in old where documents[key] == nil { state.renew(key, after: previous) }
            return changed
        }
        for (key, bytes) in changed.sorted(by: { $0.key.path < $1.key.path }) { report(bytes, key, source) }
    }

    private func report(_ bytes: [UInt8], _ key: RolloutKey, _ source: String) {
        let place = "\(source): configuration \(key.path)"
        do throws(RolloutConfigurationError) {
            for warning in try RolloutConfiguration(contents: bytes).warnings { log(.warning, "\(place), \(warning)") }
        } catch { log(.error, "\(place) cannot be read by programs: \(error)") }
    }

    /// Publishes the configuration of a file. Unchanged content keeps its entity tag and time. Probable mistakes are
    /// logged when the content changes.
    ///
    /// - Parameters:
    ///   - bytes: The content.
    ///   - key: The name and the version.
    ///   - source: The file, for messages.
    /// - Throws: `RolloutConfigurationError` if it cannot be read; the previous one stays.
    package func publish(
        _ bytes: [UInt8], for key: RolloutKey, from source: String
    ) throws(RolloutConfigurationError) {
        let warnings = try RolloutConfiguration(contents: bytes).warnings
        let now = wallClock.millisecondsSince1970() / 1_000
        let isChanged = state.withLock { state in
            let previous = state.documents[key]
            state.documents[key] = Document(bytes, replacing: previous, after: state.lastRemoved, now: now)
            return previous?.content.bytes != bytes
        }
        guard isChanged else { return }
        for warning in warnings { log(.warning, "\(source): \(warning)") }
    }

    /// Removes the configuration of a file that is gone.
    package func remove(_ key: RolloutKey) {
        state.withLock { state in state.renew(key, after: state.documents.removeValue(forKey: key)) }
    }

    /// The directory's contribution to the server's metrics.
    package var report: ServiceReport {
        var report = ServiceReport("rollouts")
        report.metrics = {
            var snapshot = MetricsSnapshot()
            snapshot.add(
                .gauge, "turnout_rollout_configurations", "Configurations for RolloutManager.",
                [.init(self.keys.count)])
            return snapshot
        }
        return report
    }
}

extension RolloutDirectory.Document {
    /// A file that replaces another one, which stays if the content is the same. Without one, it is newer than
    /// `lastRemoved`.
    fileprivate init(_ bytes: [UInt8], replacing previous: Self?, after lastRemoved: Int64, now: Int64) {
        if let previous, previous.content.bytes == bytes {
            self = previous
            return
        }
        content = SharedBody(bytes)
        entityTag = bytes.withUnsafeBytes { EntityTag.of($0) }
        lastModified = max(now, (previous?.lastModified ?? lastRemoved) + 1)
        isJSON = bytes.first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) } == UInt8(ascii: "{")
    }

    /// Raises the time above that of another file, unless that has the same content.
    fileprivate mutating func renew(after previous: Self) {
        lastModified = max(lastModified, previous.lastModified + (entityTag == previous.entityTag ? 0 : 1))
    }
}

/// The name of a configuration, and the version of the programs that it is for.
package struct RolloutKey: Sendable, Hashable {
    package let name: String
    /// The version; nil for all versions that have none of their own.
    package let version: String?

    package init(name: String, version: String? = nil) { (self.name, self.version) = (name, version) }

    /// The path of the file, without its ending: `app` or `app/1.2`.
    package var path: String { name + (version.map { "/" + $0 } ?? "") }

    /// Whether a text can be a name or a version. Such a text is also the name of a file, in every folder.
    package static func isValid(_ text: String) -> Bool { AuthoredConfiguration.isValid(text) }
}
