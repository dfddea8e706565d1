import TestSupport
package import TurnoutServer

extension ServerStorage {
    /// Storage in a folder that is deleted with the last reference; the log may have a limit.
    package static func temporary(
        _ configuration: ServerConfiguration = ServerConfiguration(), maximumLogSize: Int? = nil
    ) -> ServerStorage {
        let directory = TemporaryDirectory()
        var configuration = configuration
        if let maximumLogSize { configuration.events.maximumLogSize = maximumLogSize }
        return ServerStorage(
            directory: directory.path, configuration, isTemporary: true, messages: directory.log)
    }

    /// A member of all processed events of a kind, in the order of processing.
    package func texts(_ name: String, of kind: ExportedEvent.Kind) throws -> [String] {
        var selection = EventExport.Selection()
        selection.kinds = [kind]
        var texts: [String] = []
        try EventExport(directory: directory).forEach(selection) { event in
            guard let place = ExportedEvent.names.firstIndex(of: name), case .text(let text?) = event.values[place]
            else { return }
            texts.append(text)
        }
        return texts
    }
}
