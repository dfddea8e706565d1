import Foundation
import Synchronization
import TurnoutClient

extension OptimizelyClient {
    /// Creates a user context. May be called before the client is started.
    ///
    /// - Parameters:
    ///   - userId: The user's id; any string.
    ///   - attributes: The user's attributes. Default: nil, no attributes.
    /// - Returns: The user context.
    public func createUserContext(userId: String, attributes: [String: Any]? = nil) -> OptimizelyUserContext {
        OptimizelyUserContext(UserContent(userId, values: attributes), self)
    }

    /// Creates a user context for the device, identified by its VUID.
    ///
    /// - Parameter attributes: The user's attributes. Default: nil, no attributes.
    /// - Returns: The user context, or nil, with an error in the log, if `enableVuid` is not set.
    public func createUserContext(attributes: [String: Any]? = nil) -> OptimizelyUserContext? {
        guard let vuid else {
            parts.log(
                .error,
                "no user context: without a user id it needs the id of the device, which enableVuid in "
                    + "OptimizelySdkSettings switches on")
            return nil
        }
        return createUserContext(userId: vuid, attributes: attributes)
    }

    /// Sends an event to Optimizely Data Platform (ODP).
    ///
    /// - Parameters:
    ///   - type: The type of the event. Default: `fullstack`.
    ///   - action: The action of the event; must not be empty.
    ///   - identifiers: The user's identifiers, as names and values. Default: the device's VUID, if there is one.
    ///   - data: Additional data: strings, numbers, Booleans and nil. Default: none.
    /// - Throws: `odpNotEnabled`, `odpNotIntegrated`, `odpInvalidData` or `odpInvalidAction`, checked in this order,
    ///   then `odpEventFailed` if there is no identifier: none is given and there is no VUID.
    public func sendOdpEvent(
        type: String? = nil, action: String, identifiers: [String: String] = [:], data: [String: Any?] = [:]
    ) throws {
        guard let odpManager else { throw OptimizelyError.odpNotEnabled }
        try odpManager.sendEvent(type: type, action: action, identifiers: identifiers, data: data)
    }

    // MARK: User context support

    /// Tells ODP that the user and the device belong together.
    func identify(_ userId: String) {
        guard parts.hasVuid.load(ordering: .relaxed) else { return }
        odpManager?.identifyUser(userId: userId)
    }

    /// The reference through which the calling thread's contexts reach this client.
    var reference: ClientReference {
        // The initializer creates a reference for each stripe.
        parts.references.current ?? makeReference()
    }

    func makeReferences() { parts.references.replace { _ in makeReference() } }

    private func makeReference() -> ClientReference {
        ClientReference(
            self, parts.references, runtime: parts.runtime, notifications: parts.notifications, log: parts.log)
    }
}
