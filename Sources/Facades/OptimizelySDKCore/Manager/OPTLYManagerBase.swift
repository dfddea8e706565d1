// The names are those of the original.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import Foundation
import Optimizely
import TurnoutClient

/// The common base of managers: three ways to create a client, and the services that clients use.
///
/// Services may be replaced; the change applies to the next client. Each `initialize` creates a new client and does not
/// affect existing ones.
open class OPTLYManagerBase: NSObject {
    /// The id of the project.
    open var projectId: String?
    /// The SDK key of the environment.
    open var sdkKey: String?
    /// Identifies the datafile to download.
    open var datafileConfig: OPTLYDatafileConfig?
    /// The datafile bundled with the program.
    open var datafile: Data?
    /// Downloads and caches datafiles.
    open var datafileManager: (any OPTLYDatafileManager)?
    /// Receives errors.
    open var errorHandler: (any OPTLYErrorHandlerProtocol)?
    /// Sends events.
    open var eventDispatcher: (any OPTLYEventDispatcher)?
    /// Receives log messages.
    open var logger: (any OPTLYLogger)?
    /// Stores assignments.
    open var userProfileService: (any OPTLYUserProfileService)?

    private let legacyBucketing: Bool
    private let startTimeout: TimeInterval
    private let environment: HostEnvironment
    private let current = Locked<OPTLYClient?>(nil)
    private let clients = Locked<[WeakClient]>([])

    private struct WeakClient {
        weak var client: OPTLYClient?
    }

    init(_ builder: OPTLYManagerBuilder, _ logger: any OPTLYLogger) {
        projectId = builder.projectId
        sdkKey = builder.sdkKey
        // The datafile manager's host is also part of the cache name.
        let host = (builder.datafileManager as? OPTLYDatafileManagerDefault)?.datafileConfig.host
        datafileConfig = OPTLYDatafileConfig(
            projectId: builder.projectId, withSDKKey: builder.sdkKey, withHost: host ?? OPTLYDatafileConfig.standardHost
        )
        datafile = builder.datafile
        errorHandler = builder.errorHandler ?? OPTLYErrorHandlerNoOp()
        self.logger = logger
        legacyBucketing = builder.legacyBucketing
        startTimeout = builder.startTimeout
        environment = HostEnvironment.current.allowingInsecureHTTP(builder.allowsInsecureHTTP)
    }

    /// Creates a service that uses the manager's network.
    func make<Service>(_ service: () -> Service) -> Service {
        // Services take the network of the environment in which they are created.
        HostEnvironment.$override.withValue(environment, operation: service)
    }

    static func checked(_ builder: OPTLYManagerBuilder?) -> OPTLYManagerBuilder? {
        if builder == nil {
            let message =
                "no manager was created: the builder is nil. Set sdkKey or projectId to a text without spaces."
            OPTLYLoggerDefault().log()(.error, message)
        }
        return builder
    }

    // MARK: Creating clients

    /// Creates a client with the cached datafile, or else the bundled one. Does not wait for the network.
    ///
    /// The cached datafile is skipped if it is unusable or belongs to another project than the bundled one.
    ///
    /// - Returns: The client; a dummy client if there is no usable datafile. Never nil.
    @discardableResult
    open func initialize() -> OPTLYClient? {
        let start = ManagerStart(self)
        start.fromCacheOrBundle()
        return finish(start)
    }

    /// Creates a client with the given datafile only.
    ///
    /// - Returns: The client; a dummy client if the datafile is unusable. Never nil.
    @discardableResult
    open func initialize(withDatafile datafile: Data) -> OPTLYClient? {
        finish(ManagerStart(self, with: datafile))
    }

    /// Downloads the current datafile and creates a client with it. If the server cannot be reached, or does not
    /// respond within ``OPTLYManagerBuilder/startTimeout``, uses the cached or bundled datafile.
    ///
    /// - Parameter callback: Called once, from any thread, with an error if the current datafile is not used, and the
    ///   client. The client may be usable despite the error. Without a usable datafile it is a dummy client, never nil.
    open func initialize(callback: (((any Error)?, OPTLYClient?) -> Void)? = nil) {
        let call = UncheckedSendable((manager: self, start: ManagerStart(self), callback: callback))
        // Longer durations could overflow.
        let timeout: Duration? = startTimeout > 0 ? .seconds(min(startTimeout, 31_536_000)) : nil
        Task(executorPreference: DispatchExecutor.blockingCallers) {
            await call.value.start.withNewest(within: timeout)
            // Callbacks may block.
            BlockingCall.start {
                let (manager, start, callback) = call.value
                let client = manager.finish(start)
                callback?(start.failure, client)
            }
        }
    }

    /// The most recently created client; before the first, a new dummy client on each call.
    @discardableResult
    open func getOptimizely() -> OPTLYClient? {
        if let client = current.withLock({ $0 }) { return client }
        let parts = parts
        return OPTLYClient(parts.runtime(), parts)
    }

    /// Stops downloading datafiles, and closes all clients, within ten seconds together: see
    /// ``OPTLYClientBase/close()``.
    open func close() {
        (datafileManager as? OPTLYDatafileManagerDefault)?.stopPolling()
        let end = ContinuousClock.now + .seconds(10)
        for client in clients.withLock({ $0.compactMap(\.client) }) { client.close(within: max(end - .now, .zero)) }
    }

    private func finish(_ start: ManagerStart) -> OPTLYClient {
        let client = OPTLYClient(start.runtime, start.parts)
        client.defaultAttributes = [
            OptimizelyAppVersionKey: appVersion, OptimizelyDeviceModelKey: deviceModel,
            OptimizelyOSVersionKey: osVersion, OptimizelySDKVersionKey: clientVersion,
        ]
        clients.withLock { $0 = $0.filter { $0.client != nil } + [WeakClient(client: client)] }
        let former = current.withLock { current in
            defer { current = client }
            return current
        }
        withExtendedLifetime(former) {}
        return client
    }

    var parts: LegacyClientDependencies {
        LegacyClientDependencies(
            logger: logger ?? OPTLYLoggerDefault(), errorHandler: errorHandler ?? OPTLYErrorHandlerNoOp(),
            eventDispatcher: eventDispatcher ?? OPTLYEventDispatcherNoOp(), userProfileService: userProfileService,
            clientEngine: clientEngine, clientVersion: clientVersion, legacyBucketing: legacyBucketing,
            environment: environment, datafileMonitor: environment.datafileMonitor(), key: datafileConfig?.key())
    }
}

/// Creates clients.
///
/// ``OPTLYManager`` and ``OPTLYManagerBasic`` are managers. Nothing in this library takes a value of the protocol: use
/// it to pass a manager of your own to code that you test.
public protocol OPTLYManagerProtocol: AnyObject {
    /// Creates a client with the cached or bundled datafile.
    @discardableResult
    func initialize() -> OPTLYClient?
    /// Creates a client with the given datafile.
    @discardableResult
    func initialize(withDatafile datafile: Data) -> OPTLYClient?
    /// Downloads the current datafile and creates a client with it.
    func initialize(callback: (((any Error)?, OPTLYClient?) -> Void)?)
    /// The most recently created client, or a dummy client.
    @discardableResult
    func getOptimizely() -> OPTLYClient?
}

// The names of a client's default attributes.
#if os(tvOS)
    private let platform = "tvos"
#else
    private let platform = "ios"
#endif

/// The name of the default attribute for the program's version.
public let OptimizelyAppVersionKey = "optimizely_\(platform)_app_version"
/// The name of the default attribute for the device's model.
public let OptimizelyDeviceModelKey = "optimizely_\(platform)_device_model"
/// The name of the default attribute for the system's version.
public let OptimizelyOSVersionKey = "optimizely_\(platform)_os_version"
/// The name of the default attribute for the library's version.
public let OptimizelySDKVersionKey = "optimizely_\(platform)_sdk_version"
/// The prefix of bundled datafiles' names. No longer used for lookup.
public let OptimizelyBundleDatafilePrefix = "optimizely"
/// The file extension of bundled datafiles.
public let OptimizelyBundleDatafileFileTypeExtension = "json"

extension OPTLYManagerBase {
    /// The client name in events.
    public var clientEngine: String { "\(platform)-sdk" }
    /// The client version in events: that of the library with this interface.
    public var clientVersion: String { OPTLYClientSettings.standardVersion }
    /// The system's version, such as `17.2.0`.
    public var osVersion: String {
        let version = ProcessInfo.processInfo.operatingSystemVersion
        return "\(version.majorVersion).\(version.minorVersion).\(version.patchVersion)"
    }
    /// The version of the program; empty if unknown.
    public var appVersion: String {
        Bundle.main.object(forInfoDictionaryKey: "CFBundleShortVersionString") as? String ?? ""
    }
    /// The model of the device, such as `iPhone15,2`, or the kind of processor.
    public var deviceModel: String {
        var system = utsname()
        guard uname(&system) == 0 else { return "" }
        return withUnsafeBytes(of: &system.machine) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }
}
