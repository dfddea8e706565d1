#if Server
    import TurnoutClient
    import TurnoutEngine
    import TurnoutFlags
    import TurnoutServer

    #if Curl && os(Linux)
        import TurnoutCurl
    #endif

    /// Publishes the datafiles that a configuration names: those of a project file, of folders, and of upstream.
    struct DatafileFiles: Sendable {
        private let configuration: ServerConfiguration

        init(_ configuration: ServerConfiguration) { self.configuration = configuration }

        /// Reads all datafiles, and publishes those that changed.
        ///
        /// - Throws: `CommandError` for the first that cannot be read. Those before it are published.
        func publish(to directory: DatafileDirectory) async throws {
            if let flags = configuration.flags {
                if OutputFile.isFolder(flags) {
                    try publish(folder: flags, to: directory)
                } else {
                    try publish(file: flags, to: directory)
                }
            }
            if let folder = configuration.datafiles { try publish(folder: folder, to: directory) }
            if configuration.upstream != nil { try await publishUpstream(to: directory) }
        }

        private func publish(file: String, to directory: DatafileDirectory) throws {
            let bytes = try InputFile(file).readAll()
            guard ProjectSource.isProject(file, bytes) else {
                return try publish(bytes, named: file, key: Self.stem(of: file), to: directory)
            }
            let source = try ProjectSource(file, bytes: bytes)
            let compiled = try source.compiled()
            if let environment = configuration.environment {
                let datafile = try compiled.datafile(of: environment, in: source)
                return try publish(datafile, named: file, key: environment, to: directory)
            }
            for datafile in compiled.datafiles {
                try publish(datafile.bytes, named: file, key: datafile.environment, to: directory)
            }
        }

        private func publish(folder: String, to directory: DatafileDirectory) throws {
            for name in try SourceFiles.names(in: folder) where name.hasSuffix(".json") && !name.hasPrefix(".") {
                let path = folder + "/" + name
                try publish(try InputFile(path).readAll(), named: path, for: Self.stem(of: name), to: directory)
            }
        }

        /// Publishes a datafile for its own SDK key, or for `key` if it has none.
        private func publish(
            _ bytes: [UInt8], named name: String, key: String, to directory: DatafileDirectory
        ) throws {
            let project = try Project.read(bytes, named: name)
            let sdkKey = project.sdkKey.flatMap { $0.isEmpty ? nil : $0 } ?? key
            try publish(bytes, named: name, for: sdkKey, to: directory)
        }

        /// Publishes a datafile for an SDK key.
        private func publish(
            _ bytes: [UInt8], named name: String, for sdkKey: String, to directory: DatafileDirectory
        ) throws {
            do throws(DatafileError) { try directory.publish(bytes, for: sdkKey) } catch {
                throw CommandError("\(name): \(error)")
            }
        }

        private func publishUpstream(to directory: DatafileDirectory) async throws {
            #if Curl && os(Linux)
                for sdkKey in configuration.sdkKeys {
                    var options = HTTPDatafileOptions()
                    options.address = configuration.upstream?.replacing("%s", with: "{sdkKey}")
                    options.token = configuration.upstreamToken
                    let source = HTTPDatafileSource(sdkKey: sdkKey, transport: CurlTransport(), options: options)
                    guard let datafile = try await source.newest() else { continue }
                    try publish(datafile.bytes, named: "upstream", for: sdkKey, to: directory)
                }
            #else
                throw CommandError(
                    "this build of turnout cannot download datafiles", advice: "Build with --traits default,Server.")
            #endif
        }

        /// The name of a file without its folder and its ending.
        private static func stem(of path: String) -> String {
            let name = path.split(separator: "/").last.map(String.init) ?? path
            return name.hasSuffix(".json") ? String(name.dropLast(5)) : name
        }
    }
#endif
