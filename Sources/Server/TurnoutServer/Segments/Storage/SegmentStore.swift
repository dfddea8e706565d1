package import TurnoutClient

/// Keeps lists of users by segment, and which devices belong to which user.
///
/// The server calls a store for queries, received events and management requests, several at a time, and once a minute
/// to delete what is old. All functions may block: the server calls them on threads for blocking calls. A query never
/// sees a part of a change of a list. Every function may throw an error of the file or the disk: it fails the request
/// and is logged, and deleting is tried again a minute later. Decisions and datafiles do not depend on the store.
///
/// Ids and names are compared by their bytes. Devices and users are ids alike: those that start with `vuid_` are
/// devices' (see ``OdpUserKey``).
package protocol SegmentStore: Sendable {
    /// The ids that stand for the same user: the given one, the user of a device, and the user's latest devices.
    func ids(of id: String) throws -> [String]
    /// All devices of a user.
    func devices(of user: String) throws -> [String]
    /// The segments whose lists contain one of some ids.
    func segments(of ids: [String]) throws -> Set<ByteKey>
    func lists() throws -> [SegmentList]
    /// A page of the users of a list, in the order of their bytes.
    ///
    /// - Parameters:
    ///   - segment: The list's name.
    ///   - last: The last user of the page before; empty for the first page.
    ///   - limit: The maximum number of users.
    /// - Returns: The users; nil if there is no such list.
    /// - Throws: The store's error.
    func users(of segment: String, after last: String, limit: Int) throws -> [String]?
    /// Changes a list in one transaction. The list is created if necessary, except to remove users from it.
    ///
    /// - Returns: How many users were added and removed.
    /// - Throws: ``SegmentLimitError`` if a limit would be exceeded, or the store's error. Then nothing is changed.
    func change(_ segment: String, _ change: SegmentChange) throws -> SegmentChange.Counts
    /// Deletes a list.
    ///
    /// - Returns: Whether there was one.
    func removeList(_ segment: String) throws -> Bool
    /// Ties devices to users. A device belongs to the user of the latest link.
    ///
    /// - Parameters:
    ///   - links: The links.
    ///   - time: When they were received, in milliseconds since 1970.
    /// - Returns: How many links were not stored because there are too many devices.
    /// - Throws: The store's error.
    func link(_ links: [DeviceLink], at time: Int64) throws -> Int
    /// Deletes ids from all lists and from the devices.
    ///
    /// - Returns: Whether there were any.
    func forget(_ ids: [String]) throws -> Bool
    /// Deletes devices that were not seen since a time.
    ///
    /// - Returns: How many.
    func expireDevices(before time: Int64) throws -> Int
    /// The sizes of the store.
    func counts() throws -> SegmentCounts
}

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
