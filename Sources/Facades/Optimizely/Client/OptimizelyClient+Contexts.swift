import Foundation
import Synchronization
import TurnoutClient

extension OptimizelyClient {
    /// A user to decide for. May be made before the client is started.
    ///
    /// - Parameters:
    ///   - userId: The user's id, of any form.
    ///   - attributes: What is known about the user. Default: nothing.
    /// - Returns: The context.
    public func createUserContext(userId: String, attributes: [String: Any]? = nil) -> OptimizelyUserContext {
        OptimizelyUserContext(UserContent(userId, values: attributes), self)
    }

    /// The device as a user, or nil, with an error in the log: it has no id, because `enableVuid` is not set.
    public func createUserContext(attributes: [String: Any]? = nil) -> OptimizelyUserContext? {
        guard let vuid else {
            parts.log(.error, "a context without a user id needs the device's id; set enableVuid")
            return nil
        }
        return createUserContext(userId: vuid, attributes: attributes)
    }

    /// Sends an event to the service that knows segments.
    ///
    /// - Parameters:
    ///   - type: The type of the event. Default: `fullstack`.
    ///   - action: What happened; not empty.
    ///   - identifiers: Whom it is about: names of identifiers and their values. Default: the device, if it has an id.
    ///   - data: What to add: texts, numbers, truth values and nil. Default: nothing.
    /// - Throws: `odpNotEnabled`, `odpNotIntegrated`, `odpInvalidData` or `odpInvalidAction`.
    public func sendOdpEvent(
        type: String? = nil, action: String, identifiers: [String: String] = [:], data: [String: Any?] = [:]
    ) throws {
        guard let odpManager else { throw OptimizelyError.odpNotEnabled }
        try odpManager.sendEvent(type: type, action: action, identifiers: identifiers, data: data)
    }

    // MARK: Pieces

    /// Tells the service that knows segments that a user and the device belong together.
    func identify(_ userId: String) {
        guard parts.hasVuid.load(ordering: .relaxed) else { return }
        odpManager?.identifyUser(userId: userId)
    }

    /// What the contexts of a user need of this client.
    func link(for user: User) -> ClientLink {
        // There is one for each group of users, from the end of the initializer on.
        parts.links[user.stripe] ?? makeLink()
    }

    func linkContexts() { parts.links.replace { _ in makeLink() } }

    private func makeLink() -> ClientLink {
        ClientLink(self, core: parts.core, announcer: parts.announcer, log: parts.log)
    }
}
