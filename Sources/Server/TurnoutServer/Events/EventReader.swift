/// A reader of the log of events, in words for messages.
package struct EventReader: Sendable, Equatable {
    private static let forwardingPrefix = "forward:"
    private static let filesPrefix = "files:"
    private static let enginePrefix = "engine:"

    /// The name of the reader in the log.
    package let name: String

    /// Creates the reader with a name.
    package init(_ name: String) { self.name = name }

    /// The reader that forwards to an address. Each address has an offset of its own.
    package static func forwarding(to address: String) -> EventReader {
        EventReader(forwardingPrefix + address.filter { !$0.isWhitespace })
    }

    /// The reader that writes files to a folder, by absolute path. Each folder has an offset of its own.
    package static func files(in folder: String) -> EventReader { EventReader(filesPrefix + folder) }

    /// The reader that writes to an engine.
    package static func engine(_ engine: any EventEngine) -> EventReader {
        EventReader(enginePrefix + engine.description)
    }

    /// Whether a setting of the server starts the reader. Commands start the others.
    var belongsToServer: Bool { isForwarding || engine != nil }

    /// Whether the reader forwards events to an address.
    package var isForwarding: Bool { name.hasPrefix(Self.forwardingPrefix) }

    /// The address that the reader forwards to, without user, password and query; nil if it does not forward.
    package var address: String? {
        guard isForwarding else { return nil }
        return String(name.dropFirst(Self.forwardingPrefix.count).prefix { $0 != "?" }).withoutCredentials
    }

    /// The folder that the reader writes files to; nil if it writes none.
    private var folder: String? {
        name.hasPrefix(Self.filesPrefix) ? String(name.dropFirst(Self.filesPrefix.count)) : nil
    }

    /// The addresses of the engine that the reader writes to, without credentials; nil if it writes to none.
    package var engine: String? {
        name.hasPrefix(Self.enginePrefix) ? String(name.dropFirst(Self.enginePrefix.count)) : nil
    }

    /// The task of the reader, as messages name it.
    package var description: String {
        address.map { "forwarding to \($0)" } ?? folder.map { "the export to \($0)" }
            ?? engine.map { "writing to \($0)" } ?? name
    }

    /// Advice to the operator about a reader that does not follow.
    var advice: String {
        if let folder { return "run it again, or end it: turnout events export --data DIR --to \(folder) --forget" }
        if engine != nil { return "/status says why; without events.engine, the next start of the server ends it" }
        guard let address else { return "/status says why it makes no progress" }
        return "fix that receiver, or end the forwarding: turnout events forward --data DIR --to \(address) --forget"
    }
}
