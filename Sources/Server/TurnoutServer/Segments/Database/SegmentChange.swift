import TurnoutClient

package struct SegmentList: Sendable, Equatable {
    package var name: String
    package var count: Int

    package init(name: String, count: Int) { (self.name, self.count) = (name, count) }
}

/// A change of a list.
package enum SegmentChange: Sendable, Equatable {
    case add([String])
    case remove([String])
    case replace([String])

    /// The effect of a change.
    package struct Counts: Sendable, Equatable {
        /// The users that were not in the list before.
        package var added = 0
        /// The users that are not in the list any more.
        package var removed = 0

        package init() {}
    }
}

/// A device and the user who signed in on it.
package struct DeviceLink: Sendable, Hashable {
    package var device: String
    package var user: String

    package init(device: String, user: String) { (self.device, self.user) = (device, user) }
}

/// The sizes of a store.
package struct SegmentCounts: Sendable, Equatable {
    package var lists = 0
    /// The users in all lists.
    package var members = 0
    /// The devices that belong to a user.
    package var devices = 0

    package init() {}
}

/// The limits of a store of segments.
package struct SegmentLimits: Sendable, Equatable {
    /// The maximum number of users in lists and of devices, together. In a file, each takes about 150 bytes. Default:
    /// 10,000,000.
    package var users = 10_000_000
    /// The maximum number of lists. Default: 1,000.
    package var lists = 1_000
    /// How many devices of a user count, the latest ones. Default: 20.
    package var devicesOfUser = 20
    /// The maximum length of an id or a name in bytes.
    package static let textLength = 1_024

    package init() {}

    /// Whether a text can be the id of a user, or the name of a segment.
    package static func allows(_ text: String) -> Bool { !text.isEmpty && text.utf8.count <= textLength }
}

/// A limit that a change would exceed.
package enum SegmentLimitError: PrintableError, Equatable {
    /// The maximum number of users in lists and of devices.
    case users(Int)
    /// The maximum number of lists.
    case lists(Int)

    /// The limit that would be exceeded.
    package var description: String {
        switch self {
        case .users(let limit): "there is no room for more than \(limit) users in lists and devices"
        case .lists(let limit): "there is no room for more than \(limit) lists"
        }
    }
}
