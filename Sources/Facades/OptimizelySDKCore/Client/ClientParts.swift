import Foundation
import Optimizely
import TurnoutClient

/// What a client works with.
struct ClientParts {
    var logger: any OPTLYLogger
    var errorHandler: any OPTLYErrorHandlerProtocol
    var eventDispatcher: any OPTLYEventDispatcher
    var userProfileService: (any OPTLYUserProfileService)?
    var clientEngine: String
    var clientVersion: String
    var legacyBucketing: Bool
    var world: World

    var log: LoggerLog { LoggerLog(logger) }

    /// A client of the modern interface that has these parts, before its start.
    func core(datafiles: (any DatafileSource)? = nil, bundled: Data? = nil) -> Client {
        var configuration = ClientConfiguration()
        configuration.datafiles = datafiles
        configuration.bundledDatafile = bundled.map { Array($0) }
        configuration.datafileFormat = .legacy
        configuration.profileAccess = ServiceBridge.access(to: userProfileService)
        configuration.eventSink = EventsAreHandedOver()
        configuration.clock = world.clock
        configuration.wallClock = world.wallClock
        configuration.random = world.random
        configuration.log = log
        configuration.clientName = clientEngine
        configuration.clientVersion = clientVersion
        return Client(configuration)
    }

    /// A client that decides by a datafile, if it can be used; the error handler is told otherwise.
    func core(datafile: Data?) -> Client {
        let core = core()
        do throws(StartError) {
            if let datafile { try core.update(to: Array(datafile)) }
        } catch {
            report(.datafileInvalid, "the datafile cannot be used: \(error)")
        }
        return core
    }

    /// Reports an error to the log and to the error handler.
    func report(_ type: OPTLYErrorTypes, _ message: String) {
        log(.error, message)
        errorHandler.handleError(type.error(message))
    }
}

/// Takes no care of events: the dispatcher gets them directly, because it tells impressions and conversions apart.
private struct EventsAreHandedOver: EventSink {
    var losses: EventLosses { EventLosses() }
    func accept(_ event: OutgoingEvent) -> EventAcceptance { .accepted }
    func flush() async {}
    func flush(within limit: Duration) async {}
    func close(within limit: Duration) async {}
}
