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
    /// Changes a list in one transaction. The list is created if necessary, except to remove users from it. Replacing
    /// its users discards the parts of an upload to it.
    ///
    /// - Returns: How many users were added and removed.
    /// - Throws: ``SegmentLimitError`` if a limit would be exceeded, or the store's error. Then nothing is changed.
    func change(_ segment: String, _ change: SegmentChange) throws -> SegmentChange.Counts
    /// Takes a part of the users that will replace those of a list. Until the last part is there, the list stays as it
    /// is; then all of them replace it in one transaction.
    ///
    /// A list has one upload at a time: the first part of another one discards the parts of the earlier one. The
    /// latest part may arrive again and changes nothing; the last one has the same result as before. No part follows
    /// the last one.
    ///
    /// - Parameters:
    ///   - users: The users of the part.
    ///   - segment: The list's name.
    ///   - part: The part's place in the upload.
    ///   - time: When it was received, in milliseconds since 1970.
    /// - Returns: How many users were added to the list and removed from it: none before the last part.
    /// - Throws: ``SegmentUploadError`` if the part does not follow the one before, ``EmptyListError`` if there are no
    ///   users after the last part and there must be some, ``SegmentLimitError`` if a limit would be exceeded, or the
    ///   store's error. Then nothing is changed.
    func stage(
        _ users: [String], for segment: String, _ part: SegmentUploadPart, at time: Int64
    ) throws -> SegmentChange.Counts
    /// Deletes the parts of uploads whose last part arrived before a time.
    ///
    /// - Returns: The number of uploads.
    func expireUploads(before time: Int64) throws -> Int
    /// Deletes a list, and discards the parts of an upload to it.
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

/// The place of a part in an upload that replaces a list.
package struct SegmentUploadPart: Sendable, Equatable {
    /// The upload's id, which its client chooses.
    package var upload: String
    /// The number of the part, counted from 1.
    package var number: Int
    /// Whether it is the last part.
    package var isLast: Bool
    /// Whether the upload may remove all users. Only the value of the last part counts.
    package var mayBeEmpty: Bool

    package init(of upload: String, number: Int, isLast: Bool = false, mayBeEmpty: Bool = true) {
        (self.upload, self.number, self.isLast, self.mayBeEmpty) = (upload, number, isLast, mayBeEmpty)
    }
}

/// A part does not follow the one before: the earlier part is missing, another upload began, the list was replaced or
/// deleted, or the parts were deleted after a day.
package struct SegmentUploadError: PrintableError, Equatable {
    package init() {}

    package var description: String {
        "the part does not follow the one before, another upload to the list has begun, or the list was replaced or "
            + "deleted; nothing was changed"
    }
}

/// A list without users would replace another one, although that was not asked for.
package struct EmptyListError: PrintableError, Equatable {
    package init() {}

    package var description: String {
        "the list has no users; to remove all users, add allow_empty=true; nothing was changed"
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
    /// The uploads whose last part has not arrived.
    package var uploads = 0
    /// The users in the parts of these uploads.
    package var stagedUsers = 0

    package init() {}
}

/// The limits of a store of segments.
package struct SegmentLimits: Sendable, Equatable {
    /// The maximum number of users in lists and of devices, together. An unfinished upload counts as if it had replaced
    /// its list by a longer one. In a file, each takes about 150 bytes. Default: 10,000,000.
    package var users = 10_000_000
    /// The maximum number of lists, with those that unfinished uploads will create. Default: 1,000.
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
