package import TurnoutEngine

/// A configuration, checked once: what can be decided, and what is wrong with the rest.
package struct RolloutConfiguration: Sendable, Equatable {
    /// What there is under the name of an experiment.
    package enum Entry: Sendable, Equatable {
        /// An experiment.
        case usable(RolloutExperiment)
        /// Something that nobody can decide. Everybody gets the caller's default; nobody's draw is forgotten.
        case unusable
    }

    /// By name. What has no variants is no experiment and not in here.
    package private(set) var entries: [String: Entry] = [:]
    /// What is probably not meant, by experiment and key.
    package private(set) var warnings: [RolloutWarning] = []

    /// Takes a document over, experiments by name. What is wrong with one of them costs no other.
    package init(_ document: [String: JSONValue]) {
        for (name, value) in document.sorted(by: { $0.key < $1.key }) {
            var reader = RolloutExperimentReader(name: name)
            entries[name] = reader.read(value)
            warnings += reader.warnings
        }
    }

    /// Reads a file: a property list in XML or binary, or JSON.
    ///
    /// - Throws: ``RolloutConfigurationError``, if it is none of them or no dictionary.
    package init(contents: [UInt8]) throws(RolloutConfigurationError) {
        guard case .object(let document) = try Self.document(contents) else {
            throw RolloutConfigurationError("expected a dictionary of experiments")
        }
        self.init(document)
    }

    private static func document(_ contents: [UInt8]) throws(RolloutConfigurationError) -> JSONValue {
        if contents.starts(with: BinaryPropertyList.signature) { return try BinaryPropertyList.read(contents) }
        let text = contents.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(contents.dropFirst(3)) : contents
        if text.first(where: { $0 > 0x20 }) == UInt8(ascii: "<") { return try XMLPropertyList.read(text) }
        var limits = JSONLimits()
        limits.depth = 64
        do throws(JSONError) { return try JSONValue(parsing: text, limits: limits) } catch {
            throw RolloutConfigurationError(error.description)
        }
    }
}

/// Why a file is no configuration.
package struct RolloutConfigurationError: Error, Equatable, CustomStringConvertible {
    /// What is wrong and where, as the end of a sentence.
    package let description: String

    init(_ description: String) { self.description = description }
}
