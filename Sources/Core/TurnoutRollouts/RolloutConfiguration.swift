package import TurnoutEngine

/// A validated configuration: the usable experiments, and warnings about the rest.
package struct RolloutConfiguration: Sendable, Equatable {
    /// The entry for the name of an experiment.
    package enum Entry: Sendable, Equatable {
        case usable(RolloutExperiment)
        /// An invalid experiment. All users get the caller's default, and keep their draws.
        case unusable
    }

    /// The entries by name. Dictionaries without variants are not experiments and are omitted.
    package private(set) var entries: [String: Entry] = [:]
    /// Probable mistakes, by experiment and key.
    package private(set) var warnings: [RolloutWarning] = []

    /// Reads a document of experiments by name. Errors in one experiment do not affect the others.
    package init(_ document: [String: JSONValue]) {
        for (name, value) in document.sorted(by: { $0.key < $1.key }) {
            var reader = RolloutExperimentReader(name: name)
            entries[name] = reader.read(value)
            warnings += reader.warnings
        }
    }

    /// Reads a file: a property list in XML or binary, or JSON, in UTF-8 or UTF-16.
    ///
    /// - Throws: ``RolloutConfigurationError`` if it has none of these formats or is not a dictionary.
    package init(contents: [UInt8]) throws(RolloutConfigurationError) {
        guard case .object(let document) = try Self.document(contents) else {
            throw RolloutConfigurationError("expected a dictionary of experiments")
        }
        self.init(document)
    }

    private static func document(_ contents: [UInt8]) throws(RolloutConfigurationError) -> JSONValue {
        if contents.starts(with: BinaryPropertyList.signature) { return try BinaryPropertyList.read(contents) }
        let text = try utf8(contents)
        if text.first(where: { $0 > 0x20 }) == UInt8(ascii: "<") { return try XMLPropertyList.read(text) }
        var limits = JSONLimits()
        limits.depth = 64
        do throws(JSONError) { return try JSONValue(parsing: text, limits: limits) } catch {
            throw RolloutConfigurationError(error.description)
        }
    }

    /// The contents in UTF-8, without a byte order mark. Some property list editors write UTF-16.
    private static func utf8(_ contents: [UInt8]) throws(RolloutConfigurationError) -> [UInt8] {
        switch (contents.first, contents.dropFirst().first) {
        case (0xEF, 0xBB) where contents.dropFirst(2).first == 0xBF: return Array(contents.dropFirst(3))
        case (0xFF, 0xFE): return try utf8(ofUTF16: contents.dropFirst(2), isBigEndian: false)
        case (0xFE, 0xFF): return try utf8(ofUTF16: contents.dropFirst(2), isBigEndian: true)
        // Without a byte order mark, the text begins with an ASCII character.
        case (let byte?, 0) where byte != 0: return try utf8(ofUTF16: contents[...], isBigEndian: false)
        case (0, let byte?) where byte != 0: return try utf8(ofUTF16: contents[...], isBigEndian: true)
        default: return contents
        }
    }

    private static func utf8(
        ofUTF16 bytes: ArraySlice<UInt8>, isBigEndian: Bool
    ) throws(RolloutConfigurationError) -> [UInt8] {
        let units = stride(from: bytes.startIndex, to: bytes.endIndex - 1, by: 2).map { place in
            let (first, second) = (UInt16(bytes[place]), UInt16(bytes[place + 1]))
            return isBigEndian ? first << 8 | second : second << 8 | first
        }
        guard bytes.count.isMultiple(of: 2), let text = String(validating: units, as: UTF16.self) else {
            throw RolloutConfigurationError("the text looks like UTF-16, but is damaged; save the file as UTF-8")
        }
        return Array(text.utf8)
    }
}

/// Why a file is not a configuration.
package struct RolloutConfigurationError: Error, Equatable, CustomStringConvertible {
    /// The problem and its location, as the end of a sentence.
    package let description: String

    package init(_ description: String) { self.description = description }
}

/// A probable mistake in a configuration.
package struct RolloutWarning: Sendable, Equatable, CustomStringConvertible {
    package let experiment: String
    /// The key path, such as `Settings.is_sticky`; nil for the experiment as a whole.
    package let key: String?
    /// The problem and its consequence.
    package let problem: String

    package var description: String {
        "experiment \(experiment.debugDescription)" + (key.map { ", \($0)" } ?? "") + ": \(problem)"
    }
}
