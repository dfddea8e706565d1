#if Server
    import TurnoutClient
    import TurnoutCommandIO
    import TurnoutEngine
    import TurnoutReports
    import TurnoutServer

    /// Where results come from: the folder of a server, or a running server.
    struct ResultsSource {
        private enum Place {
            /// A folder, and what it lacks.
            case folder(ResultsService, note: String?)
            case server(ManagedServer)
        }

        private let place: Place

        init(_ arguments: ParsedArguments) throws {
            let place = try ServerPlace(arguments)
            let engine = try EngineCommand.engine(arguments.values(EngineCommand.address))
            switch place {
            case .folder(let folder):
                guard OutputFile.exists(folder + "/events.sqlite") else {
                    throw CommandError(
                        "\(folder): is not the data folder of a server, or has no events yet",
                        advice: "Name the folder that the server has as --data.")
                }
                let events = EventDatabase(
                    directory: folder, engine: engine, onlyReads: true, log: .standardError)
                let segments = SegmentDatabase(directory: folder, onlyReads: true, log: .standardError)
                let service = ResultsService(
                    events,
                    exclusions: { try events.exclusions().compactMap(ResultExclusion.init).resolved(by: segments) },
                    daysAfterStop: { try events.daysAfterStop() })
                let files = EventFiles(directory: folder)
                let note = engine == nil ? files.lack : nil
                self.place = .folder(service, note: note)
                if let note { StandardStream.error.put("turnout: note: \(note)\n") }
                if engine == nil { files.noteUnprocessed() }
            case .server(let server):
                try arguments.exclude(ManagedServer.server, EngineCommand.address)
                self.place = .server(server)
            }
        }

        /// The verdicts of all experiments. Blocks while a folder is read: nothing else runs.
        func summaries() async throws -> ExperimentSummaries {
            switch place {
            case .folder(let service, let note):
                var summaries = try service.summaries()
                summaries.note = note
                return summaries
            case .server(let server):
                return try ExperimentSummaries(json: try await Self.get("/results", from: server).body)
            }
        }

        func results(of name: String, _ environment: String?) async throws -> ExperimentResults {
            switch place {
            case .folder(let service, let note):
                var results = try service.results(of: try Self.experiment(name, environment, service))
                results.note = note
                return results
            case .server(let server):
                let response = try await Self.get(Self.path(name, environment, "json"), from: server)
                var results = try ExperimentResults(json: response.body)
                results.computed = response.headers["last-modified"].flatMap(HTTPDate.millisecondsSince1970)
                return results
            }
        }

        /// The numbers of visitors as comma-separated values.
        func distribution(of name: String, _ environment: String?) async throws -> String {
            switch place {
            case .folder(let service, _):
                let experiment = try Self.experiment(name, environment, service)
                return try service.distribution(of: experiment).csv(of: experiment)
            case .server(let server):
                let response = try await Self.get(Self.path(name, environment, "csv"), from: server)
                return String(decoding: response.body, as: UTF8.self)
            }
        }

        private static func experiment(
            _ name: String, _ environment: String?, _ service: ResultsService
        ) throws -> RecordedExperiment {
            do { return try service.experiments().named(name, in: environment).get() } catch {
                throw CommandError("\(error)", advice: "\"turnout results\" without a name lists the experiments.")
            }
        }

        private static func path(_ name: String, _ environment: String?, _ format: String) -> String {
            let place = environment.map { "&environment=" + $0.percentEncoded } ?? ""
            return "/results/" + name.percentEncoded + "?format=" + format + place
        }

        private static func get(_ path: String, from server: ManagedServer) async throws -> HTTPResponse {
            let response = try await server.response(to: server.request(path, method: .get))
            guard response.status != 200 else { return response }
            let answer = ManagementResponse(response)
            throw CommandError(answer.problem, advice: answer.advice(forScope: "read"))
        }
    }
#endif
