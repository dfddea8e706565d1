package import TurnoutClient

// The mutable state that all clients of a process share. Everything else belongs to a client. The vendor's interface
// creates clients that do not know each other, and programs expect them to share services; its static properties apply
// to the process by definition.

extension HostEnvironment {
    /// The default environment, because the vendor's initializers have no parameter for one. Replaced only by tests, so
    /// that nothing they do leaves the process.
    package static let standard = Locked(HostEnvironment.live)

    /// The environment of clients that the current task creates; nil means the standard one.
    @TaskLocal package static var override: HostEnvironment?
}

extension SharedServices {
    /// The services by SDK key: clients with the same key share them.
    static let registry = Locked(Registry())

    /// The dispatcher of all clients without their own: their events share a queue and requests.
    static let dispatcher = Locked(WeakUncheckedSendable<DefaultEventDispatcher>(nil))
}

extension DefaultEventDispatcher {
    /// The time limit of ``close()`` for the current task. A client that closes has less time, and the vendor's
    /// protocol has no parameter for it.
    @TaskLocal static var closingLimit: Duration = .seconds(10)
}

extension ProfileServiceAccess {
    /// The accesses in use, by profile service: clients that share a service must not overwrite each other's
    /// assignments.
    static let accesses = Locked<[ObjectIdentifier: WeakUncheckedSendable<ProfileServiceAccess>]>([:])
}

extension VendorData {
    /// Serializes migrations of the vendor's files: services that are created at the same time must not overwrite newer
    /// assignments.
    static let migration = Locked(())
}

extension VuidManager {
    /// The manager that all clients of the program share: the id identifies the device.
    public static let shared = VuidManager()
}

extension EventForDispatch {
    /// The vendor's static properties `eventEndpoint` and `euEventEndpoint`.
    static let endpoints = Locked(Endpoints())
}

extension DefaultLogger {
    /// The vendor's static property `logLevel`.
    static let level = FirstAssignment(orElse: OptimizelyLogLevel.info)
}

extension OPTLoggerFactory {
    /// The logger of the first live client, for code that belongs to no client.
    static let registration = Locked(Registration())
}
