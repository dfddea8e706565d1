package import TurnoutClient
package import TurnoutRollouts

/// The configurations for RolloutManager that a server hands out, by name and version.
///
/// A configuration that cannot be read never replaces a good one.
package final class RolloutDirectory: Sendable {
    /// A configuration, ready to be sent.
    package struct Document: Sendable {
        /// The file.
        package let content: SharedBody
        /// The file's entity tag.
        package let entityTag: String
        /// When it was published, in seconds since 1970.
        package let lastModified: Int64
        /// Whether the file is JSON; otherwise it is a property list.
        package let isJSON: Bool
    }

    /// The maximum size of a configuration in bytes.
    package static let sizeLimit = 1 << 20
    /// The maximum number of configurations.
    package static let maximumCount = 1_000

    private let wallClock: any WallClock
    private let documents = Locked<[RolloutKey: Document]>([:])

    /// Creates an empty directory.
    ///
    /// - Parameter wallClock: Provides the times of changes. Default: the system's.
    package init(wallClock: any WallClock = .system) { self.wallClock = wallClock }

    /// The configuration with exactly this name and version, or nil.
    package subscript(key: RolloutKey) -> Document? { documents.withLock { $0[key] } }

    /// The configuration for a program: that of its version, or else the one without a version.
    package func document(for key: RolloutKey) -> Document? {
        documents.withLock { $0[key] ?? $0[RolloutKey(name: key.name)] }
    }

    /// All names and versions, sorted.
    package var keys: [RolloutKey] { documents.withLock { $0.keys.sorted { $0.path < $1.path } } }

    /// Publishes a configuration. Unchanged content keeps its entity tag and time.
    ///
    /// - Returns: The configuration as it was read, with warnings about probable mistakes.
    /// - Throws: `RolloutConfigurationError` if it cannot be read, or there is no room for another; the previous one
    ///   stays.
    @discardableResult
    package func publish(_ bytes: [UInt8], for key: RolloutKey) throws(RolloutConfigurationError)
        -> RolloutConfiguration
    {
        let configuration = try check(bytes, for: key)
        let now = wallClock.millisecondsSince1970() / 1_000
        documents.withLock { documents in
            let previous = documents[key]
            guard previous?.content.bytes != bytes else { return }
            documents[key] = Document(
                content: SharedBody(bytes), entityTag: bytes.withUnsafeBytes { EntityTag.of($0) },
                lastModified: max(now, (previous?.lastModified ?? 0) + 1),
                isJSON: bytes.first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) } == UInt8(ascii: "{"))
        }
        return configuration
    }

    /// Reads a configuration without publishing it.
    ///
    /// - Throws: `RolloutConfigurationError` if it cannot be read, or there is no room for another.
    @discardableResult
    func check(_ bytes: [UInt8], for key: RolloutKey) throws(RolloutConfigurationError) -> RolloutConfiguration {
        let configuration = try RolloutConfiguration(contents: bytes)
        guard hasRoom(for: key) else {
            throw RolloutConfigurationError("there is no room for more than \(Self.maximumCount) configurations")
        }
        return configuration
    }

    private func hasRoom(for key: RolloutKey) -> Bool {
        documents.withLock { $0[key] != nil || $0.count < Self.maximumCount }
    }

    /// Removes a configuration.
    ///
    /// - Returns: Whether there was one.
    @discardableResult
    package func remove(_ key: RolloutKey) -> Bool {
        documents.withLock { $0.removeValue(forKey: key) != nil }
    }

    /// What the directory contributes to the server's metrics.
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

/// The name of a configuration, and the version of the programs that it is for.
package struct RolloutKey: Sendable, Hashable {
    /// The name.
    package let name: String
    /// The version; nil for all versions that have none of their own.
    package let version: String?

    /// Creates a key of texts that ``isValid(_:)`` accepts.
    package init(name: String, version: String? = nil) { (self.name, self.version) = (name, version) }

    /// The path of the file, without its ending: `app` or `app/1.2`.
    package var path: String { name + (version.map { "/" + $0 } ?? "") }

    /// Whether a text can be a name or a version: 1 to 100 letters and digits of ASCII, `.`, `_` and `-`, of which `.`
    /// is not the first. Such a text is also the name of a file, in every folder.
    package static func isValid(_ text: String) -> Bool {
        (1...100).contains(text.utf8.count) && text.utf8.first != UInt8(ascii: ".")
            && text.utf8.allSatisfy { byte in
                (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                    || [0x2D, 0x2E, 0x5F].contains(byte)
            }
    }
}
