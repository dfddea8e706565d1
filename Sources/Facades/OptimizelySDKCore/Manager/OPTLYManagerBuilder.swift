public import Foundation

/// A block that configures an ``OPTLYManagerBuilder``.
public typealias OPTLYManagerBuilderBlock = (OPTLYManagerBuilder?) -> Void

/// What a manager is made of.
open class OPTLYManagerBuilder: NSObject {
    /// The datafile that comes with the program, for starts without a usable datafile from the server. Default: none.
    public var datafile: Data?
    /// The id of the project, whose primary environment's datafile is fetched. Does not matter if there is an SDK key.
    public var projectId: String?
    /// The key of the environment whose datafile is fetched.
    public var sdkKey: String?
    /// The longest time between two attempts of the default dispatcher to send what waits, in seconds. Default: 0, five
    /// minutes.
    public var eventDispatchInterval: TimeInterval = 0
    // Callers need not unwrap it, as in the original.
    // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
    /// Fetches and keeps datafiles. Default: chosen by the manager.
    public var datafileManager: (any OPTLYDatafileManager)!
    /// Is told of errors. Default: nobody.
    public var errorHandler: (any OPTLYErrorHandlerProtocol)?
    /// Sends events. Default: chosen by the manager.
    public var eventDispatcher: (any OPTLYEventDispatcher)?
    /// Receives messages. Default: an ``OPTLYLoggerDefault`` for messages up to `info`.
    public var logger: (any OPTLYLogger)?
    /// Remembers assignments. Default: chosen by the manager.
    public var userProfileService: (any OPTLYUserProfileService)?
    /// Whether users whose ids are not ASCII get the buckets that the Objective-C library gave them, which differ from
    /// those of all other clients. Default: false.
    public var legacyBucketing = false

    /// Runs a block on a new builder. Nil if the block sets neither key to a text that can be one: not empty, and
    /// without blanks.
    public init?(block: OPTLYManagerBuilderBlock) {
        super.init()
        block(self)
        guard OPTLYDatafileConfig(projectId: projectId, withSDKKey: sdkKey) != nil else { return nil }
    }
}
