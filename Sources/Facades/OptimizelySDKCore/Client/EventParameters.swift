import Optimizely
import TurnoutClient

/// An event as dispatchers and listeners get it: in the form that the Objective-C library gave it, which knew neither
/// flags nor regions.
struct EventParameters {
    /// The members of the JSON object.
    let values: [String: Any]

    init(_ event: OutgoingEvent) {
        // What a client makes is always an object.
        guard case .object(var payload)? = try? JSONValue(parsing: event.payload) else {
            values = [:]
            return
        }
        // Dispatchers send elsewhere what belongs to Europe.
        if event.group.region == .us { payload["region"] = nil }
        payload["visitors"] = payload["visitors"]?.changingElements { visitor in
            visitor["attributes"] = visitor["attributes"]?.changingElements { $0["shouldIndex"] = .bool(true) }
            visitor["snapshots"] = visitor["snapshots"]?.changingElements { snapshot in
                snapshot["decisions"] = snapshot["decisions"]?.changingElements { $0["metadata"] = nil }
            }
        }
        values = payload.mapValues(\.anyValue)
    }
}

extension JSONValue {
    /// The same list with other objects in it.
    fileprivate func changingElements(_ change: (inout [String: JSONValue]) -> Void) -> JSONValue {
        guard case .array(let elements) = self else { return self }
        return .array(
            elements.map { element in
                guard case .object(var members) = element else { return element }
                change(&members)
                return .object(members)
            })
    }
}
