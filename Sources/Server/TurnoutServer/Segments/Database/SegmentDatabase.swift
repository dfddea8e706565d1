#if SQLite
    package import TurnoutClient

    /// Lists of users in `segments.sqlite` and devices in `devices.sqlite` in a folder.
    ///
    /// Not in the file of the events: that one can be built again from the log, and these lists cannot. Devices have a
    /// file of their own, because requests with events wait for it, and a long list is written in one transaction.
    ///
    /// If a file is damaged, empty or gone, calls that need it throw until an operator restores a copy of it.
    package final class SegmentDatabase: SegmentStore {
        private let limits: SegmentLimits
        private let listFile: SegmentConnections
        private let deviceFile: SegmentConnections

        /// Creates the database; its files are opened when they are first used.
        ///
        /// - Parameters:
        ///   - directory: The folder, created if necessary.
        ///   - limits: What it may hold. Default: the standard limits.
        ///   - log: Receives messages about new and replaced files.
        package init(directory: String, _ limits: SegmentLimits = SegmentLimits(), log: any Log) {
            self.limits = limits
            listFile = SegmentConnections(.lists, in: directory, log: log)
            deviceFile = SegmentConnections(.devices, in: directory, log: log)
        }

        // MARK: Lists

        package func segments(of ids: [String]) throws -> Set<ByteKey> {
            try listFile.reading { try $0.segments(of: ids) }
        }

        package func lists() throws -> [SegmentList] { try listFile.reading { try $0.lists() } }

        package func users(of segment: String, after last: String, limit: Int) throws -> [String]? {
            try listFile.reading { try $0.users(of: segment, after: last, limit: limit) }
        }

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

        package func removeList(_ segment: String) throws -> Bool {
            try listFile.writing { try $0.removeList(segment) }
        }

        // MARK: Devices

        package func ids(of id: String) throws -> [String] {
            try deviceFile.reading { try $0.ids(of: id, limit: limits.devicesOfUser) }
        }

        package func devices(of user: String) throws -> [String] {
            try deviceFile.reading { try $0.devices(of: user) }
        }

        package func link(_ links: [DeviceLink], at time: Int64) throws -> Int {
            // Reading does not wait for a change of a list.
            let members = try listFile.reading { try $0.memberCount() }
            return try deviceFile.writing { try $0.link(links, at: time, room: limits.users - members) }
        }

        package func expireDevices(before time: Int64) throws -> Int {
            try deviceFile.writing { try $0.expireDevices(before: time) }
        }

        private func deviceCount() throws -> Int { try deviceFile.reading { try $0.deviceCount() } }

        // MARK: Both

        package func forget(_ ids: [String]) throws -> Bool {
            // The links last: a repeated call finds the devices through them.
            let members = try listFile.writing(failsUnlessErased: true) { try $0.forgetMembers(ids) }
            let devices = try deviceFile.writing(failsUnlessErased: true) { try $0.forgetDevices(ids) }
            return members || devices
        }

        package func counts() throws -> SegmentCounts {
            var counts = try listFile.reading { try $0.counts() }
            counts.devices = try deviceCount()
            return counts
        }
    }
#endif
