#if Server
    import TurnoutClient
    import TurnoutCommandIO
    import TurnoutReports
    import TurnoutServer

    extension EventFiles {
        /// Writes the events to an engine, and notes in the folder that it has them.
        func importEvents(into engine: any EventEngine) async throws {
            _ = try InputFile(directory + "/events.sqlite")
            // From now on, the log keeps what the server has not written.
            let log = try? SegmentLogReader(directory: directory + "/log")
            let isWritten = log?.readers[EventReader.engine(engine).name] != nil
            let counts: EngineImport.Counts
            do { counts = try await write(to: engine) } catch {
                throw CommandError(
                    "not all events were written: \(error)",
                    advice: "Run the command again: what the engine has already counts once.")
            }
            StandardStream.output.put("\(counts.written.grouped) events were written to \(engine.description).\n")
            if counts.withoutUser > 0 {
                StandardStream.error.put(
                    "turnout: note: \(counts.withoutUser.grouped) events of the oldest day were left out, because "
                        + "the ids of their users are deleted already\n")
            }
            guard counts.refused == 0 else {
                throw CommandError(
                    "the engine refused \(counts.refused.grouped) events, the first one because: \(counts.words ?? "")",
                    advice: "Mend its table, and run the command again. Until then the server keeps events as before.")
            }
            guard isWritten else {
                StandardStream.error.put(
                    "turnout: note: no server with this folder writes to \(engine.description): if one will, set "
                        + "events.engine, start it, and run the command again; it keeps events as before until then\n")
                return
            }
            try EventDatabase(directory: directory, engine: engine, log: .standardError).setImported()
        }

        private func write(to engine: any EventEngine) async throws -> EngineImport.Counts {
            let start = ContinuousClock.now
            var progress = ProgressLine(of: "events", on: Terminal(.error))
            defer { StandardStream.error.put(progress.clear() ?? "") }
            return try await EngineImport(directory: directory, to: engine, messages: .standardError).run { counts in
                if let line = progress.update(done: counts.written, after: .now - start) {
                    StandardStream.error.put(line)
                }
            }
        }
    }
#endif
