/// Everything that an operator can set. Every property has a default.
///
/// ``EffectiveConfiguration`` reads it from a file, the environment and the options of `turnout serve`, in this order,
/// and knows where each value comes from. ``ConfigurationSetting/all`` lists the keys.
package struct ServerConfiguration: Sendable, Equatable {
    // MARK: Hub

    /// The address of the server whose spoke this one is, with its scheme and without a path. Default: nil.
    package var hub: String?
    /// A management token of the hub with the scope `users`. Default: nil.
    package var hubToken: String?

    /// Sets what a hub implies and nothing else has set: where datafiles, events and segments are.
    package mutating func completeFromHub() {
        guard let hub else { return }
        upstream = upstream ?? hub + "/datafiles/{sdkKey}.json"
        events.forwardingAddress = events.forwardingAddress ?? hub + "/v1/events"
        segmentsHost = segmentsHost ?? hub
    }

    /// What a spoke asks of which address, for people; nil without a hub.
    package var spokeText: String? {
        hub.map { hub in
            "spoke of \(hub.withoutCredentials): datafiles from \((upstream ?? "").withoutCredentials), "
                + "events to \((events.forwardingAddress ?? "").withoutCredentials), segments from "
                + "\((segmentsHost ?? "").withoutCredentials), predictions of "
                + (agent.predictionAddress ?? hub).withoutCredentials
        }
    }

    /// The time limit for looking up segments: a hub is near.
    package var segmentsTime: Duration { agent.segmentsTimeout ?? .seconds(hub == nil ? 10 : 1) }

    // MARK: Datafiles

    /// The project file, its folder, or a folder of datafiles. Default: nil.
    package var flags: String?
    /// The only environment of the project file to serve. Default: nil, all of them.
    package var environment: String?
    /// A folder of datafiles, named by SDK key. Default: nil.
    package var datafiles: String?
    /// The folder of configurations for RolloutManager. Default: nil; `rollouts` in ``data``, or none without it.
    package var rollouts: String?
    /// Another server to get datafiles from: its address, in which `{sdkKey}` or `%s` stands for the SDK key. Default:
    /// nil.
    package var upstream: String?
    /// The token for datafiles that upstream protects. Default: nil.
    package var upstreamToken: String?
    /// The access tokens of SDK keys whose datafiles are not public, each as `key:token`; a key may have several.
    /// Default: none.
    package var datafileTokens: [String] = []
    /// The SDK keys to load from upstream at the start. Default: none.
    package var sdkKeys: [String] = []
    /// The time between two requests to upstream for the same datafile, whether it announces changes or not. Default: 1
    /// minute.
    package var pollingInterval = Duration.seconds(60)

    // MARK: Network

    /// The address to listen on. Default: `127.0.0.1`, only this machine.
    package var host = "127.0.0.1"
    /// The port to listen on; 0 lets the system choose. Default: 8080.
    package var port = 8080
    /// The number of threads that serve connections. Default: nil, one per processor.
    package var threads: Int?
    /// The file of the TLS certificate, in PEM. Default: nil, no TLS.
    package var certificate: String?
    /// The file of the certificate's private key, in PEM. Default: nil.
    package var privateKey: String?

    // MARK: Storage

    /// The folder for events, segments and assignments. Default: nil; they are lost when the server ends.
    package var data: String?
    /// The address of the store of assignments. Default: nil; SQLite in ``data``, or memory without it.
    package var profiles: String?

    /// The address under which clients reach the server, with its scheme and without a path. The datafiles of a project
    /// file that names no host for segments have it. Default: nil; `http://localhost` with the port.
    package var publicAddress: String?
    /// The address of the data platform that is asked for segments, with its scheme and without a path. Default: nil,
    /// the one that the datafile names.
    package var segmentsHost: String?

    // MARK: Parts

    package var events = EventSettings()
    /// How the variations of bandits are predicted.
    package var predictions = PredictionSettings()
    package var results = ResultSettings()
    /// The options of users' segments.
    package var segments = SegmentPlatform.Options()
    package var log = LogOptions()
    /// The rules of access: clients, origins and rates.
    package var access = AccessOptions()
    /// Limits for everything that grows.
    package var limits = LimitOptions()
    /// The interface of the vendor's Agent.
    package var agent = AgentConfiguration()
    package var ofrep = OFREPOptions()
    package var console = ConsoleOptions()
    package var shutdown = ShutdownOptions()

    package init() {}

    /// The address for people on this machine.
    package func address(port: UInt16) -> String {
        let isAnyOrThis = ["0.0.0.0", "::", "127.0.0.1", "::1"].contains(host)
        let name = isAnyOrThis ? "localhost" : host.contains(":") ? "[\(host)]" : host
        return "\(certificate == nil ? "http" : "https")://\(name):\(port)"
    }
}

/// Settings of the storage and forwarding of events.
package struct EventSettings: Sendable, Equatable {
    /// The address of another intake to which events are forwarded. Default: nil.
    package var forwardingAddress: String?
    /// The addresses of the servers of an engine to which events are written. Default: none.
    package var engine: [String] = []
    /// The days for which events are kept. Default: 400.
    package var retentionDays = 400
    /// The maximum number of bytes of received events that are not processed yet. Default: 10 GiB.
    package var maximumLogSize = 10 << 30
    /// Whether decisions wait until their events are on the disk. Default: false.
    package var decisionsWait = false
    /// The exposures that are stored. Default: all.
    package var exposures = Exposures.all

    package enum Exposures: String, Sendable, CaseIterable {
        case all
        /// The first of each visitor to a variation on each UTC day.
        case firstPerDay = "first_per_day"
    }

    package init() {}

    var serviceOptions: EventService.Options {
        var options = EventService.Options()
        options.processing.retention.days = retentionDays
        options.processing.storesFirstOfDay = exposures == .firstPerDay
        options.forwardingAddress = forwardingAddress
        options.decisionsWait = decisionsWait
        return options
    }
}

/// How the variations of bandits are predicted.
package struct PredictionSettings: Sendable, Equatable {
    /// The metrics of rules that no project file names, each as `rule=event.count`. Default: none.
    package var metrics: [String] = []
    /// The days of events to learn from. Default: 30.
    package var days = 30
    /// The seed of the simulation and of the choice for a user. Default: 0.
    package var seed = 0

    package init() {}

    var serviceOptions: PredictionService.Options {
        var options = PredictionService.Options()
        options.metrics = metrics.compactMap(BanditMetric.init)
        options.days = days
        options.seed = seed
        return options
    }
}

/// What results of experiments count.
package struct ResultSettings: Sendable, Equatable {
    /// The visitors to leave out, each as ``ResultExclusion`` reads it. Default: none.
    package var exclude: [String] = []
    /// The days after the stop of an experiment in which conversions of its visitors count. Default: 0.
    package var daysAfterStop = 0

    package init() {}
}

/// Limits for everything that grows.
package struct LimitOptions: Sendable, Equatable {
    /// The maximum number of connections. Default: 20,000.
    package var connections = 20_000
    /// The maximum number of connections of one address. Default: 0, no limit, because behind a proxy all connections
    /// have its address.
    package var connectionsPerAddress = 0
    /// The maximum size of a request line with its headers, in bytes. Default: 12 KiB.
    package var headerSize = 12 << 10
    /// The time in which a request must be complete; each 100 kB of its body add a second. Default: 10 seconds.
    package var requestTime = Duration.seconds(10)
    /// The time after which an idle connection is closed. Default: 60 seconds.
    package var idleTime = Duration.seconds(60)
    /// The maximum number of open streams of events. Default: 10,000.
    package var streams = 10_000
    /// The maximum number of SDK keys that decide at the same time. Default: 1,000.
    package var clients = 1_000
    /// The time that a decision may wait for predictions, and for a store of assignments in another process. Default: 1
    /// second.
    package var decisionTime = Duration.seconds(1)

    package init() {}
}

/// How the server stops after SIGTERM.
package struct ShutdownOptions: Sendable, Equatable {
    /// The time between `/ready` failing and the end of listening, in which load balancers notice. Default: 1 second.
    package var delay = Duration.seconds(1)
    /// The time for requests in progress, and for writing what is queued. If the requests take all of it, writing has
    /// two more seconds. Default: 20 seconds.
    package var limit = Duration.seconds(20)

    package init() {}
}
