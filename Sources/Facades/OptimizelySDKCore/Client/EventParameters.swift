import Optimizely
import TurnoutClient

/// An event in the Objective-C library's format, without flags and regions, as dispatchers and listeners receive it.
struct EventParameters {
    /// The members of the JSON object.
    let values: [String: Any]

    init(_ event: OutgoingEvent) {
        // Payloads of a client are always objects.
        guard case .object(var payload)? = try? JSONValue(parsing: event.payload) else {
            values = [:]
            return
        }
        // Dispatchers choose the European endpoint by this member.
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
    /// Returns the list with its objects changed.
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
