package import TurnoutClient

/// Keeps lists of users by segment in `segments.sqlite`, and the devices of users in `devices.sqlite`, in a folder.
///
/// The server calls it for queries, received events and management requests, several at a time, and once a minute
/// to delete what is old. All functions may block: the server calls them on threads for blocking calls. A query
/// never sees a part of a change of a list. Every function may throw an error of the file or the disk: it fails the
/// request and is logged, and deleting is tried again a minute later. Decisions and datafiles do not depend on it.
///
/// Ids and names are compared by their bytes. Devices and users are ids alike: those that start with `vuid_` are
/// devices' (see ``OdpUserKey``).
///
/// Not in the file of the events: that one can be built again from the log, and these lists cannot. Devices have a
/// file of their own, because requests with events wait for it, and a long list is written in one transaction.
///
/// If a file is damaged, empty or gone, calls that need it throw until an operator restores a copy of it.
package final class SegmentDatabase: Sendable {
    private let limits: SegmentLimits
    private let listFile: SegmentConnections
    private let deviceFile: SegmentConnections

    /// Creates the database; its files are opened when they are first used.
    ///
    /// - Parameters:
    ///   - directory: The folder, created if necessary.
    ///   - limits: What it may hold. Default: the standard limits.
    ///   - survives: The failures that changes survive. Default: a power failure.
    ///   - onlyReads: Whether lists are only read, and nothing is created or upgraded. Default: false.
    ///   - log: Receives messages about new and replaced files.
    package init(
        directory: String, _ limits: SegmentLimits = SegmentLimits(),
        survives: EventLogOptions.Survival = .powerLoss, onlyReads: Bool = false, log: any Log
    ) {
        self.limits = limits
        listFile = SegmentConnections(.lists, in: directory, survives: survives, onlyReads: onlyReads, log: log)
        deviceFile = SegmentConnections(.devices, in: directory, survives: survives, onlyReads: onlyReads, log: log)
    }

    // MARK: Lists

    /// The segments whose lists contain one of some ids.
    package func segments(of ids: [String]) throws -> Set<ByteKey> {
        try listFile.reading { try $0.segments(of: ids) }
    }

    package func lists() throws -> [SegmentList] { try listFile.reading { try $0.lists() } }

    /// A page of the users of a list, in the order of their bytes.
    ///
    /// - Parameters:
    ///   - segment: The list's name.
    ///   - last: The last user of the page before; empty for the first page.
    ///   - limit: The maximum number of users.
    /// - Returns: The users; nil if there is no such list.
    /// - Throws: The error of the file.
    package func users(of segment: String, after last: String, limit: Int) throws -> [String]? {
        try listFile.reading { try $0.users(of: segment, after: last, limit: limit) }
    }

    /// Changes a list in one transaction. The list is created if necessary, except to remove users from it.
    ///
    /// - Returns: How many users were added and removed.
    /// - Throws: ``SegmentLimitError`` if a limit would be exceeded, or the error of the file. Then nothing is
    ///   changed.
    package func change(_ segment: String, _ change: SegmentChange) throws -> SegmentChange.Counts {
        try listFile.writing { lists in
            let counts = try lists.change(segment, change, maximumLists: limits.lists)
            // Devices that are added meanwhile exceed the limit by a few at most.
            if counts.added > 0, try lists.memberCount() + deviceCount() > limits.users {
                throw SegmentLimitError.users(limits.users)
            }
            return counts
        }
    }

    /// Deletes a list.
    ///
    /// - Returns: Whether there was one.
    package func removeList(_ segment: String) throws -> Bool {
        try listFile.writing { try $0.removeList(segment) }
    }

    // MARK: Devices

    /// The ids that stand for the same user: the given one, the user of a device, and the user's latest devices.
    package func ids(of id: String) throws -> [String] {
        try deviceFile.reading { try $0.ids(of: id, limit: limits.devicesOfUser) }
    }

    /// All devices of a user.
    package func devices(of user: String) throws -> [String] {
        try deviceFile.reading { try $0.devices(of: user) }
    }

    /// Ties devices to users. A device belongs to the user of the latest link.
    ///
    /// - Parameters:
    ///   - links: The links.
    ///   - time: When they were received, in milliseconds since 1970.
    /// - Returns: How many links were not stored because there are too many devices.
    /// - Throws: The error of the file.
    package func link(_ links: [DeviceLink], at time: Int64) throws -> Int {
        // Reading does not wait for a change of a list.
        let members = try listFile.reading { try $0.memberCount() }
        return try deviceFile.writing { try $0.link(links, at: time, room: limits.users - members) }
    }

    /// Deletes devices that were not seen since a time.
    ///
    /// - Returns: How many.
    package func expireDevices(before time: Int64) throws -> Int {
        try deviceFile.writing { try $0.expireDevices(before: time) }
    }

    private func deviceCount() throws -> Int { try deviceFile.reading { try $0.deviceCount() } }

    // MARK: Both

    /// Deletes ids from all lists and from the devices.
    ///
    /// - Returns: Whether there were any.
    package func forget(_ ids: [String]) throws -> Bool {
        // The links last: a repeated call finds the devices through them.
        let members = try listFile.writing(failsUnlessErased: true) { try $0.forgetMembers(ids) }
        let devices = try deviceFile.writing(failsUnlessErased: true) { try $0.forgetDevices(ids) }
        return members || devices
    }

    /// Waits for calls in progress, and cancels further ones.
    func close() {
        listFile.close()
        deviceFile.close()
    }

    /// The sizes of the lists, and the number of devices.
    package func counts() throws -> SegmentCounts {
        var counts = try listFile.reading { try $0.counts() }
        counts.devices = try deviceCount()
        return counts
    }
}
