#if Server
    import TurnoutClient
    import TurnoutCommandIO
    import TurnoutServer
    import TurnoutSQLite

    /// Another server to get datafiles from.
    enum UpstreamAddress {
        /// A function that creates the source of an SDK key's datafile; nil if the configuration names no other server.
        ///
        /// With a data folder, the last good datafiles are kept there, and serve while the other server is gone.
        ///
        /// - Throws: `CommandError` if this build has no network.
        static func source(
            _ configuration: ServerConfiguration, log: StructuredLog
        ) throws(CommandError) -> (@Sendable (String) -> any DatafileSource)? {
            guard let address = configuration.upstream else { return nil }
            var options = HTTPDatafileOptions()
            options.address = address.replacing("%s", with: "{sdkKey}")
            let mayStream = hasChanges(address)
            options.token = configuration.upstreamToken
            options.log = log
            let (transport, cache) = (TraceForwardingTransport(try Network.transport()), cache(configuration, log))
            return { [options] sdkKey in
                guard mayStream else {
                    return .http(sdkKey: sdkKey, transport: transport, cache: cache, options: options)
                }
                return .streaming(sdkKey: sdkKey, transport: transport, cache: cache, options: options)
            }
        }

        /// Whether the server at an address may have streams of changes: each but the vendor's, if the addresses of the
        /// streams follow from that of datafiles.
        private static func hasChanges(_ address: String) -> Bool {
            let host = address.split(separator: "/", maxSplits: 2).dropFirst().first ?? ""
            return address.hasSuffix(".json") && !host.hasSuffix(".optimizely.com")
        }

        private static func cache(_ configuration: ServerConfiguration, _ log: StructuredLog) -> any DatafileCache {
            guard let folder = configuration.data else { return MemoryDatafileCache() }
            return SQLiteStorage.open(directory: folder, log: log).datafiles
        }
    }
#endif
