import TurnoutReports

#if Server
    import Dispatch
    import LibC
    import TurnoutClient
    import TurnoutCommandIO
    import TurnoutFlags
    import TurnoutServer

    #if Curl && os(Linux)
        import TurnoutCurl
    #endif

    /// A server with this process's files, sockets and signals.
    final class ServerProcess: Sendable {
        private let configuration: ServerConfiguration
        private let server: Server
        private let listener: SocketListener
        private let watched: [WatchedDatafiles]
        private let rollouts: RolloutFolder?
        private let storage: ServerStorage
        /// The folder of a server without one of its own.
        private let temporaryFolder: TemporaryFolder?
        private let log: StructuredLog
        private let hasTokens: Bool
        /// What was found in the folder of flags.
        private let folderMessage: String?
        private let memory = IdleMemory()
        /// False when the server stops. Locked while files are read.
        private let readsFiles = Locked(true)

        /// Prepares a server, which does not listen yet.
        ///
        /// - Throws: `CommandError` for a file or an address that cannot be used.
        init(_ configuration: ServerConfiguration) throws {
            var configuration = configuration
            let atHand = Self.namesNoFlags(configuration) ? DatafileArguments.filesAtHand : []
            // The names of datafiles that `compile` has written are no SDK keys, so they are not `datafiles`.
            if let file = atHand.first { configuration.flags = file.hasPrefix("datafiles/") ? "datafiles" : file }
            let project = configuration.flags.flatMap(DatafileFiles.project)
            if let project { configuration.flags = project.file }
            folderMessage =
                atHand.isEmpty
                ? project?.message : "serves \(configuration.flags ?? ""), because --flags is not given"
            log = StructuredLog(configuration.log) { _ = $0.withUnsafeBytes { StandardStream.error.put($0) } }
            let socket = try Self.passedSocket(&configuration, log)
            self.configuration = configuration
            let tokens = try Self.tokens(configuration)
            hasTokens = !tokens.isEmpty
            listener = Self.listener(configuration, on: socket)
            temporaryFolder = configuration.data == nil ? try TemporaryFolder() : nil
            let newFolder = configuration.data.flatMap { OutputFile.exists($0) ? nil : $0 }
            let engine = try EngineCommand.engine(configuration.events.engine)
            storage = ServerStorage(
                directory: configuration.data ?? temporaryFolder?.path ?? "", configuration, engine: engine,
                isTemporary: configuration.data == nil, messages: log)
            if let newFolder { try OutputFile.write(Array("*\n".utf8), to: newFolder + "/.gitignore") }
            var adapters = ServerAdapters(
                listener: listener, cryptography: NettleCryptography(), storage: storage, log: log)
            let zlib = Zlib()
            adapters.compress = { zlib.gzip($0) }
            adapters.decompressor = zlib
            let profiles = try Self.profiles(configuration, log)
            if let profiles { adapters.profiles = profiles.store }
            #if Curl && os(Linux)
                if configuration.events.forwardingAddress != nil { adapters.eventTransport = CurlTransport() }
            #endif
            if configuration.hub != nil {
                adapters.hub = HubTransport(TraceForwardingTransport(try Network.transport()))
            }
            adapters.upstream = try UpstreamAddress.source(configuration, log: log)
            let named = try AgentAdapters(configuration, log: log).add(to: &adapters)
            let observed = (profiles.map { [$0] } ?? []) + named
            if !observed.isEmpty { adapters.reports.append(ObservedProfiles.report(observed)) }
            if let flags = configuration.flags, DatafileFiles.isProject(flags) {
                adapters.flagsFile = ServedFlagsFile(flags)
            }
            let folder = configuration.rollouts ?? configuration.data.map { $0 + "/rollouts" }
            let rollouts = folder.map { [log] in RolloutFolder($0, log: log) }
            server = Server(configuration, tokens: tokens, adapters: adapters)
            self.rollouts = rollouts
            watched = DatafileFiles(configuration, log: log).watched(into: server.datafiles, rollouts: server.rollouts)
        }

        /// The socket that the service manager has passed. Its address takes the place of the configured one.
        private static func passedSocket(
            _ configuration: inout ServerConfiguration, _ log: StructuredLog
        ) throws -> ListeningSocket? {
            do throws(ListenerError) {
                guard let socket = try ListeningSocket.passed() else { return nil }
                let configured = (configuration.host, configuration.port)
                (configuration.host, configuration.port) = (socket.host, Int(socket.port))
                log.write(
                    .info,
                    "listens on the socket that the service manager has passed, \(socket.host) port \(socket.port)"
                        + (configured == (configuration.host, configuration.port)
                            ? "" : "; the configured \(configured.0) port \(configured.1) has no effect"))
                return socket
            } catch {
                throw CommandError(error.description)
            }
        }

        private static func listener(
            _ configuration: ServerConfiguration, on socket: ListeningSocket?
        ) -> SocketListener {
            var limits = ListenerLimits()
            limits.connections = configuration.limits.connections
            let perAddress = configuration.limits.connectionsPerAddress
            limits.connectionsPerAddress = perAddress > 0 ? perAddress : nil
            limits.headerSize = configuration.limits.headerSize
            limits.requestTime = configuration.limits.requestTime
            limits.idleTime = configuration.limits.idleTime
            let certificate = configuration.certificate.flatMap { certificate in
                configuration.privateKey.map { CertificateFiles(certificate: certificate, key: $0) }
            }
            return SocketListener(
                host: configuration.host, port: UInt16(configuration.port), certificate: certificate, limits: limits,
                threads: configuration.threads, on: socket)
        }

        private static func tokens(_ configuration: ServerConfiguration) throws -> [ManagementTokens.Token] {
            guard let name = configuration.access.tokenFile else { return [] }
            let (root, source) = try ProjectSource.root(of: name, try InputFile(name).readAll())
            do throws(TokenFileError) { return try ManagementTokens.read(root, in: source) } catch {
                throw CommandError(error.description, advice: "See \"turnout help serve\".")
            }
        }

        private static func profiles(
            _ configuration: ServerConfiguration, _ log: StructuredLog
        ) throws -> ObservedProfiles? {
            if let folder = configuration.data { try OutputFile.createFolder(folder) }
            guard let address = configuration.profiles ?? configuration.data.map({ "sqlite:" + $0 }) else { return nil }
            let store = try ProfileStoreKind.open(address, .create, option: "--profiles", log: log).store
            return (store as? any EditableProfileStore).map { ObservedProfiles("standard", file: $0, log: log) }
                ?? ObservedProfiles("standard", network: store, log: log)
        }

        /// The routes as a table: method, pattern, the kind of requests, and what they do.
        var routes: String {
            let rows = server.routes.routes.map { [$0.method, $0.pattern, $0.access.text, $0.summary] }
            return ReportTable(Array(repeating: .init(""), count: 4), rows: rows.map { $0.map { .init($0) } }).text()
        }

        /// Serves until a signal ends it.
        func run(_ warnings: [String]) async throws -> Int32 {
            defer { temporaryFolder?.delete() }
            for warning in warnings { log.write(.warning, warning) }
            if let folderMessage { log.write(.info, folderMessage) }
            try check()
            let signals = await Signals([SIGTERM, SIGINT, SIGHUP])
            do { for files in watched { try files.start() } } catch let error as DatafileSourceProblem {
                let file = error.file ?? configuration.flags ?? ""
                for problem in error.diagnostics { StandardStream.error.put(problem.text(in: file).printable + "\n") }
                throw CommandError(
                    error.description, advice: error.advice ?? "The server needs usable flags to start.")
            }
            rollouts?.check(into: server.rollouts)
            do { suggestRequests(to: try server.start()) } catch { throw CommandError("\(error)") }
            if let shortage = listener.shortage { log.write(.warning, shortage) }
            WorkThread.run { self.watch() }
            for await signal in signals.all {
                guard signal != SIGHUP else {
                    await BlockingCall.value { self.reload() }
                    continue
                }
                signals.release(signal)
                await stopReadingFiles()
                // SIGINT comes from a terminal, where no load balancer has to notice.
                await server.stop(immediately: signal == SIGINT)
                break
            }
            return 0
        }

        /// Tells a person at a terminal what to try. A log has no whole SDK keys.
        private func suggestRequests(to port: UInt16) {
            guard Terminal(.error).isTerminal else { return }
            let address = configuration.address(port: port)
            let key = server.datafiles.sdkKeys.first ?? "SDK_KEY"
            StandardStream.error.put(
                """
                Open \(address)/ in a browser, or decide for a user:
                  curl -H 'X-Optimizely-SDK-Key: \(key.printable)' -H 'Content-Type: application/json' \\
                    -d '{"userId":"ada"}' \(address)/v1/decide

                """)
        }

        private func reload() {
            log.write(.info, "reading all files again")
            reloadTokens()
            reloadCertificate()
            for files in watched { files.reload() }
            rollouts?.reload(into: server.rollouts)
        }

        /// Waits for files that are being read, so that nothing is logged about them when the server has stopped; not
        /// for those of a folder that hangs.
        private func stopReadingFiles() async {
            let end = OneShot<Void>()
            WorkThread.run { [self] in
                readsFiles.withLock { $0 = false }
                end.end(())
            }
            await BlockingCall.value { end.value(within: .seconds(1)) }
        }

        /// Reads the management tokens again. After a mistake in the file, the earlier ones stay valid.
        private func reloadTokens() {
            do { server.use(try Self.tokens(configuration)) } catch {
                let problem = (error as? CommandError)?.message ?? "\(error)"
                log.write(.error, "\(problem); the management tokens read before stay valid")
            }
        }

        /// Reads the certificate again. If it cannot be used, the earlier one stays in use.
        private func reloadCertificate() {
            do {
                if try listener.reloadCertificate() { log.write(.info, "new connections get the new TLS certificate") }
            } catch {
                log.write(.error, "\(error); the TLS certificate read before stays in use")
            }
        }

        private static func namesNoFlags(_ configuration: ServerConfiguration) -> Bool {
            configuration.flags == nil && configuration.datafiles == nil && configuration.upstream == nil
                && configuration.rollouts == nil
        }

        private func checkSpoke() throws {
            guard let hub = configuration.hub else { return }
            if hub.hasPrefix("http:"),
                !AllowedHosts.isLoopback(AllowedHosts.withoutPort(String(hub.split(separator: "/").last ?? "")))
            {
                throw CommandError(
                    "hub: \(hub.withoutCredentials) is on another machine, and http would show the token on the way",
                    advice: "Use https: set tls.certificate of the hub, or put a proxy with a certificate before it.")
            }
            if !configuration.events.engine.isEmpty {
                throw CommandError(
                    "a spoke writes no events to an engine: its hub gets them, and writes them",
                    advice: "Set events.engine of the hub only.")
            }
        }

        /// Checks what no single setting can.
        private func check() throws {
            guard !Self.namesNoFlags(configuration) else {
                throw UsageError.missing(
                    anyOf: ["--flags PATH", "--datafiles FOLDER", "--upstream ADDRESS", "--hub ADDRESS"],
                    advice: DatafileArguments.nothingAtHand)
            }
            if storage.log.isLockedByAnother {
                throw CommandError(
                    "\(configuration.data ?? ""): another process has it open, such as a second server",
                    advice: "End that process, or choose another folder with --data.")
            }
            try checkSpoke()
            if (configuration.certificate == nil) != (configuration.privateKey == nil) {
                throw CommandError("tls.certificate and tls.private_key belong together: one of them is missing")
            }
            if let temporaryFolder {
                let assignments = configuration.profiles == nil ? ", and assignments in memory" : ""
                log.write(
                    .warning,
                    "nothing is kept when the server ends: events and lists of users are in \(temporaryFolder.path), "
                        + "which is deleted then\(assignments); --data FOLDER keeps them")
            }
            if let text = configuration.spokeText { log.write(.info, text) }
            if configuration.upstream == nil, !configuration.sdkKeys.isEmpty {
                log.write(.warning, "sdk_keys has no effect without upstream, the server to load their datafiles from")
            }
            if !hasTokens, !AllowedHosts.isLoopback(configuration.host) {
                log.write(
                    .warning,
                    "other machines can connect, and there are no management tokens: management is for "
                        + "requests from this machine; see --token-file")
            }
        }

        /// Reads changed files, and returns unused memory, until the server ends.
        private func watch() {
            let changes = FolderChanges(log)
            var memory = memory
            while true {
                let isChanged = changes.wait(for: paths)
                guard checkFiles() else { return }
                if isChanged {
                    // A file that was half written is read once more, and changes in a row are read together.
                    usleep(50_000)
                    guard checkFiles() else { return }
                }
                memory.check()
            }
        }

        /// Reads changed files. Returns false if the server stops.
        private func checkFiles() -> Bool {
            readsFiles.withLock { readsFiles in
                guard readsFiles else { return false }
                for files in watched { files.check() }
                rollouts?.check(into: server.rollouts)
                return true
            }
        }

        /// The files and folders that are read again when they change. The folder of a file may be that of the
        /// server's data, too, which changes all the time.
        private var paths: [String] {
            let lock = configuration.flags.map { ProjectSource.lockPath(besides: $0) }
            return [configuration.flags, lock, configuration.datafiles].compactMap { $0 } + (rollouts?.folders ?? [])
        }
    }

    extension RouteAccess {
        /// The kind of requests that a route answers.
        fileprivate var text: String {
            switch self {
            case .probe, .open: "all"
            case .client: "clients"
            case .intake: "events"
            case .management(let scope): "token: \(scope.rawValue)"
            }
        }
    }

    /// The signals that an operator sends to a server.
    final class Signals {
        /// The signals, as they arrive.
        let all: AsyncStream<Int32>
        private let sources: [any DispatchSourceSignal]

        /// Receives signals in place of their usual effect. Those that arrive after this call are not lost.
        init(_ numbers: [Int32]) async {
            let (stream, continuation) = AsyncStream.makeStream(of: Int32.self)
            all = stream
            sources = numbers.map { number in
                let source = DispatchSource.makeSignalSource(signal: number)
                source.setEventHandler { continuation.yield(number) }
                return source
            }
            for (number, source) in zip(numbers, sources) {
                signal(number, SIG_IGN)
                // A source is registered in the background. Until then the signal would be ignored.
                await withCheckedContinuation { registration in
                    source.setRegistrationHandler { registration.resume() }
                    source.resume()
                }
            }
        }

        /// Gives a signal its usual effect again: the second SIGINT ends a server that does not stop.
        func release(_ number: Int32) { signal(number, SIG_DFL) }
    }
#endif
