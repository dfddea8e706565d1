#if Server
    import LibC
    import TurnoutClient
    import TurnoutCommandIO
    import TurnoutEngine
    import TurnoutReports
    import TurnoutServer
    import TurnoutSQLite

    /// The events in a server's folder.
    struct EventFiles {
        let directory: String

        /// The size of a piece of output.
        private static let chunkSize = 64 << 10

        func export(_ selection: EventSelection) throws {
            _ = try InputFile(directory + "/events.sqlite")
            var wanted = EventExport.Selection()
            if let kind = selection.kind.flatMap(ExportedEvent.Kind.init) { wanted.kinds = [kind] }
            (wanted.start, wanted.end) = (selection.start, selection.end)
            var (table, writer, count) = ("", JSONWriter(), 0)
            if selection.isTable { table = ExportedEvent.csvHeader }
            func put() throws {
                let isWritten =
                    selection.isTable
                    ? StandardStream.output.put(table) : writer.withBytes { StandardStream.output.put($0) }
                guard isWritten else { throw CommandError.unwritten("the events") }
                table = ""
                writer.removeAll()
            }
            try explaining {
                try EventExport(directory: directory).forEach(wanted) { event in
                    count += 1
                    if selection.isTable { table += event.csv } else { event.write(to: &writer) }
                    if table.utf8.count + writer.count >= Self.chunkSize { try put() }
                }
            }
            try put()
            if count == 0 { StandardStream.error.put("turnout: 0 events were exported\n") }
            noteUnprocessed()
            if let note = lack { StandardStream.error.put("turnout: note: \(note)\n") }
        }

        /// What the folder lacks, if its server is a spoke or writes to an engine.
        var lack: String? {
            if OutputFile.exists(directory + "/hub.json") {
                return "the folder is that of a spoke, and has only the events that this one received: ask its hub"
            }
            let readers = (try? SegmentLogReader(directory: directory + "/log"))?.readers.keys.map(EventReader.init)
            return readers?.compactMap(\.engine).first.map { engine in
                "the folder has only the events of its server, perhaps of the last 7 days: those of all servers are in "
                    + engine.printable + ", and turnout results --engine URL counts them"
            }
        }

        /// Says that the log has events which a server has not processed yet.
        func noteUnprocessed() {
            guard let log = try? SegmentLogReader(directory: directory + "/log") else { return }
            let size = log.end - log.offset(of: EventProcessing.reader)
            guard size > 0 else { return }
            StandardStream.error.put(
                "turnout: note: the events in \(Int(size).grouped("byte")) of the log are missing, because no server "
                    + "has processed them yet: wait, or start one with this folder (turnout serve --data)\n")
        }

        /// Writes the events in the log to files in a folder. Does not end if it follows the log.
        func export(to folder: String, follows: Bool) async throws {
            let export = try fileExport(to: folder)
            guard !follows else { return await export.run() }
            try explaining { while try export.writeNext() {} }
            let counts = export.counts
            StandardStream.error.put("\(counts.events.grouped) events are in \(counts.files.grouped) new files.\n")
        }

        /// Ends the export to a folder: the log keeps nothing for it any more.
        func endExport(to folder: String) throws {
            try explaining { try fileExport(to: folder).end() }
            StandardStream.output.put("nothing is kept for \(folder) any more\n")
        }

        private func fileExport(to folder: String) throws -> EventFileExport {
            let log = try explaining { try SegmentLogReader(directory: directory + "/log") }
            return EventFileExport(log, to: Self.absolute(folder), messages: .standardError)
        }

        /// The path of a folder from the root, which names its reader in the log.
        private static func absolute(_ folder: String) -> String {
            let current = folder.hasPrefix("/") ? nil : realpath(".", nil)
            defer { free(current) }
            let path = (current.map { String(cString: $0) } ?? "") + "/" + folder
            return "/" + path.split(separator: "/").filter { $0 != "." }.joined(separator: "/")
        }

        /// Sends the requests in the log to another intake.
        func forward(to address: String) async throws {
            let transport = try Network.transport()
            let log = try explaining { try SegmentLogReader(directory: directory + "/log") }
            let forwarding = EventForwarding(log, to: address, over: transport, messages: .standardError)
            do { while try await forwarding.forwardNext() {} } catch {
                throw CommandError(
                    "the events were not forwarded: \(error)",
                    advice: "Run the command again: it continues with the first request that was not sent.")
            }
            let counts = forwarding.counts
            StandardStream.error.put("\(counts.delivered) requests were sent, \(counts.refused) were refused.\n")
        }

        /// Ends the forwarding to an address: the log keeps nothing for it any more.
        func endForwarding(to address: String) throws {
            let log = try explaining { try SegmentLogReader(directory: directory + "/log") }
            let known = log.readers.keys.map(EventReader.init).filter(\.isForwarding)
            // Messages name addresses without a password, so these are accepted, too.
            let wanted = EventReader.forwarding(to: address).address ?? address
            let ended = known.filter { $0.address == wanted }
            guard !ended.isEmpty else {
                let others = known.compactMap(\.address).sorted().joined(separator: ", ")
                throw CommandError(
                    "\(directory): nothing is kept for \(wanted)",
                    advice: others.isEmpty ? nil : "Events are kept for: \(others)")
            }
            for reader in ended { try explaining { try log.forget(reader: reader.name) } }
            StandardStream.output.put("nothing is kept for \(wanted) any more\n")
        }

        func expire(days: Int) throws {
            _ = try InputFile(directory + "/events.sqlite")
            var retention = EventRetention()
            retention.days = days
            let now = SystemWallClock().millisecondsSince1970()
            let count = try explaining {
                try EventDatabase(directory: directory, log: .standardError).expire(retention, now: now)
            }
            StandardStream.output.put("\(count) events were deleted.\n")
            // A folder without a log has nothing else.
            guard let log = try? SegmentLogReader(directory: directory + "/log") else { return }
            let size = log.expire(before: now - Int64(days) * 86_400_000)
            if size > 0 { StandardStream.output.put("\(size.grouped) bytes were deleted from the log.\n") }
        }

        private func explaining<Value>(_ body: () throws -> Value) throws -> Value {
            do { return try body() } catch let error as SQLiteError {
                throw CommandError("\(error)", advice: "Check the folder; nothing was changed.")
            } catch let error as EventLogError { throw CommandError("\(error)", advice: "Check the folder.") }
        }
    }
#endif
