import TurnoutClient
import TurnoutEngine

/// The events in a request to `/v3/events`.
///
/// They are stored as conversions whose key is `TYPE/ACTION`, so that rules can count them and no experiment does.
struct PlatformEvents: Equatable {
    /// The maximum number of events in a request.
    static let maximumCount = 500

    /// An event that cannot be taken.
    struct Invalid: Equatable {
        /// The number of the event in its request.
        let index: Int
        /// The problem. Contains no personal data.
        let message: String
    }

    /// Why a request is refused.
    enum Refusal: Error, Equatable {
        /// The body is not a list of events.
        case body(String)
        /// Some events cannot be taken.
        case events([Invalid])
    }

    /// The devices that the events tie to users.
    private(set) var links: [DeviceLink] = []
    private(set) var count = 0
    /// The number of events without a user and without a device, which are not stored.
    private(set) var unidentified = 0
    private var conversions: [Event] = []

    private struct Event: Equatable {
        var user: String
        var key: String
        var data: [String: JSONValue]
    }

    init(body: [UInt8]) throws(Refusal) {
        let root: JSONValue
        do throws(JSONError) { root = try JSONValue(parsing: body) } catch { throw .body("the body is not JSON") }
        guard case .array(let elements) = root else { throw .body("the body is not a list of events") }
        guard (1...Self.maximumCount).contains(elements.count) else {
            throw .body("a request has 1 to \(Self.maximumCount) events")
        }
        var invalid: [Invalid] = []
        for (index, element) in elements.enumerated() {
            if let problem = add(element) { invalid.append(Invalid(index: index, message: problem)) }
        }
        guard invalid.isEmpty else { throw .events(invalid) }
    }

    /// Adds an event. Returns what is wrong with it, or nil.
    private mutating func add(_ event: JSONValue) -> String? {
        guard case .object(let members) = event else { return "the event is not an object" }
        guard case .string(let type)? = members["type"], !type.isEmpty else { return "type is missing" }
        guard case .string(let action)? = members["action"], !action.isEmpty else {
            return "action is missing"
        }
        guard type.utf8.count + 1 + action.utf8.count <= EventBatchParser.maximumTextLength else {
            return "type and action are too long"
        }
        guard case .object(let values)? = members["identifiers"], !values.isEmpty else {
            return "identifiers are missing"
        }
        var identifiers: [String: String] = [:]
        for (name, value) in values.sorted(by: { Self.comesFirst($1.key, $0.key) }) {
            guard case .string(let text) = value else { return "an identifier is not a string" }
            guard SegmentLimits.allows(text) else { return "an identifier is empty or too long" }
            identifiers[Self.name(name)] = text
        }
        guard let data = Self.data(members["data"]) else { return "data is not an object of plain values" }
        count += 1
        add(type, action, user: identifiers["fs_user_id"], device: identifiers["vuid"], data)
        return nil
    }

    private mutating func add(
        _ type: String, _ action: String, user: String?, device: String?, _ data: [String: JSONValue]
    ) {
        // Only ids of devices belong to a user; anything else would give one user the segments of another.
        if let user, let device, OdpUserKey.isVUID(device), !OdpUserKey.isVUID(user) {
            links.append(DeviceLink(device: device, user: user))
        }
        guard let id = user ?? device else { return unidentified += 1 }
        // SDKs send these events to identify a user. They are not actions that a rule could count.
        if type == "fullstack", ["identified", "client_initialized"].contains(action) { return }
        conversions.append(Event(user: id, key: type + "/" + action, data: data))
    }

    /// The order of identifiers with several spellings, of which the first one counts: that of the data platform, then
    /// the others by their bytes.
    private static func comesFirst(_ left: String, _ right: String) -> Bool {
        let isStandard = [left, right].map { name($0) == $0 }
        guard isStandard[0] == isStandard[1] else { return isStandard[0] }
        return left.utf8.lexicographicallyPrecedes(right.utf8)
    }

    /// The names `fs-user-id` and `FS_USER_ID` are other spellings of `fs_user_id`.
    private static func name(_ name: String) -> String {
        let lowercase = name.lowercased()
        return ["fs_user_id", "fs-user-id"].contains(lowercase) ? "fs_user_id" : lowercase
    }

    private static func data(_ value: JSONValue?) -> [String: JSONValue]? {
        guard let value, value != .null else { return [:] }
        guard case .object(let members) = value else { return nil }
        let arePlain = members.values.allSatisfy { value in
            if case .object = value { return false }
            if case .array = value { return false }
            return true
        }
        return arePlain ? members : nil
    }

    // MARK: The log of events

    /// The events as a body for the log of events.
    ///
    /// - Parameters:
    ///   - projectID: The project that they belong to.
    ///   - time: When they were received, in milliseconds since 1970.
    /// - Returns: The body; nil if none of the events is stored.
    func body(projectID: String, time: Int64) -> [UInt8]? {
        guard !conversions.isEmpty else { return nil }
        return JSONWriter.object {
            // The first member is that of ``PlatformBody``.
            $0.member("type", "platform")
            $0.member("project_id", projectID)
            $0.member("client_name", "data-platform")
            $0.list("visitors", conversions) { Self.write($1, time, to: &$0) }
        }.bytes
    }

    private static func write(_ event: Event, _ time: Int64, to writer: inout JSONWriter) {
        var members: [String: JSONValue] = ["key": .string(event.key), "timestamp": .integer(time)]
        // Only with an id of its own is a copy of an event recognized: its time is that of the request.
        if case .string(let id)? = event.data["idempotence_id"] { members["uuid"] = .string(id) }
        members["revenue"] = event.data["revenue"]
        members["value"] = event.data["value"]
        members["tags"] = .object(event.data)
        writer.value(
            .object([
                "visitor_id": .string(event.user),
                "snapshots": .array([.object(["events": .array([.object(members)])])]),
            ]))
    }
}
