import Foundation
import TurnoutClient

extension VendorData {
    /// Moves the queued events of the vendor's client, oldest first.
    ///
    /// The file is removed once its events are stored; events that the store refuses stay in it. An unreadable file is
    /// left unchanged. If the process ends in between, events are moved again; their ids are the same, so receivers
    /// drop the duplicates.
    ///
    /// - Parameters:
    ///   - name: The name of the queue, and of its file.
    ///   - store: The queue of this library. It must be durable.
    func moveEvents(named name: String, to store: any EventStore) {
        // The vendor's client uses the name unescaped, but the file must be inside the directory.
        guard !name.isEmpty, !name.contains("/"), name != ".", name != ".." else { return }
        let file = directory.appending(path: name, directoryHint: .notDirectory)
        guard let data = try? Data(contentsOf: file) else { return }
        guard let items = try? JSONDecoder().decode([Data].self, from: data) else {
            return OPTLoggerFactory.log(
                .warning,
                "events of the vendor's client were not migrated: the file \"\(name)\" cannot be read; it stays "
                    + "where it is")
        }
        var rest: [Data] = []
        var readable: [(item: Data, event: OutgoingEvent)] = []
        for item in items {
            if let event = try? JSONDecoder().decode(EventForDispatch.self, from: item) {
                readable += event.queued.map { (item, $0) }
            } else {
                rest.append(item)
            }
        }
        let refused = store.append(contentsOf: readable.map(\.event))
        // A body with several events is kept whole if one of them is refused; receivers drop the duplicates.
        for item in refused.keys.sorted().map({ readable[$0].item }) where rest.last != item { rest.append(item) }
        do {
            try store.synchronize()
            try replace(file, with: rest)
        } catch {
            return OPTLoggerFactory.log(
                .warning,
                "events of the vendor's client were migrated, but stay in the file \"\(name)\" too, which cannot be "
                    + "changed: \(error.logText)")
        }
        OPTLoggerFactory.log(
            rest.isEmpty ? .info : .warning,
            "\((readable.count - refused.count).counted("event")) of the vendor's client migrated"
                + (rest.isEmpty ? "" : "; \(rest.count) that cannot be read or have no room stay in \"\(name)\""))
    }

    private func replace(_ file: URL, with items: [Data]) throws {
        guard !items.isEmpty else { return try FileManager.default.removeItem(at: file) }
        try JSONEncoder().encode(items).write(to: file, options: .atomic)
    }
}
