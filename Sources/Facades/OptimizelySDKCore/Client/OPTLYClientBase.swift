public import Foundation
import Optimizely
public import TurnoutClient

// @unchecked Sendable because it is immutable.
/// The common base of ``OPTLYClient`` and ``Optimizely``: the methods, and the datafile that they use.
open class OPTLYClientBase: NSObject, OptimizelyProtocol, @unchecked Sendable {
    let parts: LegacyClientDependencies
    let runtime: DecisionRuntime
    let center: OPTLYNotificationCenter

    init(
        _ runtime: DecisionRuntime, _ parts: LegacyClientDependencies,
        _ center: OPTLYNotificationCenter = OPTLYNotificationCenter()
    ) {
        (self.runtime, self.parts, self.center) = (runtime, parts, center)
    }

    // MARK: Experiments

    /// Activates an experiment for a user: decides the variation and sends an impression.
    ///
    /// - Returns: The variation, or nil if the user gets none. The error handler then receives an error with the code
    ///   `userActivate`.
    @discardableResult
    open func activate(_ experimentKey: String, userId: String, attributes: [String: Any]?) -> OPTLYVariation? {
        let user = user(userId, attributes)
        guard let result = decide(experimentKey, for: user, attributes), let impression = result.decision.activation
        else {
            let message = "the user has no variation of experiment \"\(experimentKey)\"; no impression is sent"
            if runtime.project != nil { parts.log(.info, message) }
            parts.errorHandler.handleError(OPTLYErrorTypes.userActivate.error(message))
            return nil
        }
        sendActivation(impression, of: result, user, attributes)
        return result.decision.variation.map { OPTLYVariation($0) }
    }

    /// Returns the variation that a user gets in an experiment, or nil if none. Sends no impression.
    @discardableResult
    open func variation(_ experimentKey: String, userId: String, attributes: [String: Any]?) -> OPTLYVariation? {
        decide(experimentKey, for: user(userId, attributes), attributes)?.decision.variation.map { OPTLYVariation($0) }
    }

    /// The variation set by ``setForcedVariation(_:userId:variationKey:)``, or nil if none is set.
    @discardableResult
    open func getForcedVariation(_ experimentKey: String, userId: String) -> OPTLYVariation? {
        guard let project else { return nil }
        let key = runtime.forcedVariation(inExperiment: experimentKey, forUser: userId)
        return project.experiment(experimentKey)?.variations.first { $0.key == key }.map { OPTLYVariation($0) }
    }

    /// Forces a variation of an experiment for a user, in place of bucketing. Kept for the lifetime of the client.
    ///
    /// - Parameters:
    ///   - experimentKey: The key of the experiment.
    ///   - userId: The user's id.
    ///   - variationKey: The key of the variation; nil removes the forced variation.
    /// - Returns: False if there is no datafile, no such experiment, or no such variation in it.
    @discardableResult
    open func setForcedVariation(_ experimentKey: String, userId: String, variationKey: String?) -> Bool {
        project != nil && runtime.forceVariation(variationKey, inExperiment: experimentKey, forUser: userId)
    }

    // MARK: Features

    /// Returns whether a feature is on for a user. Sends an impression if an experiment decided.
    ///
    /// Returns false for an unknown feature, and for a feature whose experiments belong to different groups.
    @discardableResult
    open func isFeatureEnabled(_ featureKey: String?, userId: String?, attributes: [String: Any]?) -> Bool {
        guard let flag = flag(featureKey), let userId else { return false }
        guard Set(flag.experiments.map { $0.group?.id }).count <= 1 else {
            parts.log(.error, "the feature \"\(flag.key)\" is off: its experiments belong to different groups")
            return false
        }
        let user = user(userId, attributes)
        guard let result = decide(flag, for: user) else { return false }
        if result.decision.source != .rollout, let impression = result.decision.impression {
            sendActivation(impression, of: result, user, attributes)
        }
        notifyOfDecision("feature", user, attributes, result.decision.featureInfo)
        return result.decision.isEnabled
    }

    /// Returns the keys of the features that are on for a user. Sends the same impressions as
    /// ``isFeatureEnabled(_:userId:attributes:)`` does for each feature.
    @discardableResult
    open func getEnabledFeatures(_ userId: String?, attributes: [String: Any]?) -> [String] {
        (project?.flags ?? []).map(\.key).filter { isFeatureEnabled($0, userId: userId, attributes: attributes) }
    }

    // Variable strings are parsed leniently, as in the Objective-C library.

    /// Returns the value of a Boolean variable, or nil if there is no such variable of this type. A string that begins
    /// with Y, T or a digit from 1 to 9 is true.
    @discardableResult
    open func getFeatureVariableBoolean(
        _ featureKey: String?, variableKey: String?, userId: String?, attributes: [String: Any]?
    ) -> NSNumber? {
        variable(variableKey, "boolean", of: featureKey, userId, attributes) { ($0 as NSString).boolValue as NSNumber }
    }

    /// Returns the value of a double variable, or nil if there is no such variable of this type. A string that is not a
    /// number is 0.
    @discardableResult
    open func getFeatureVariableDouble(
        _ featureKey: String?, variableKey: String?, userId: String?, attributes: [String: Any]?
    ) -> NSNumber? {
        variable(variableKey, "double", of: featureKey, userId, attributes) { ($0 as NSString).doubleValue as NSNumber }
    }

    /// Returns the value of a 32-bit integer variable, or nil if there is no such variable of this type. Only the
    /// digits at the beginning of a string count; without any the value is 0.
    @discardableResult
    open func getFeatureVariableInteger(
        _ featureKey: String?, variableKey: String?, userId: String?, attributes: [String: Any]?
    ) -> NSNumber? {
        variable(variableKey, "integer", of: featureKey, userId, attributes) { ($0 as NSString).intValue as NSNumber }
    }

    /// Returns the value of a string variable, or nil if there is no such variable of this type.
    @discardableResult
    open func getFeatureVariableString(
        _ featureKey: String?, variableKey: String?, userId: String?, attributes: [String: Any]?
    ) -> String? {
        variable(variableKey, "string", of: featureKey, userId, attributes) { $0 }
    }

    // MARK: Conversions

    /// Tracks a conversion event for a user.
    ///
    /// - Parameters:
    ///   - eventKey: The key of the event. For an unknown event, the error handler receives an error with the code
    ///     `eventTrack`.
    ///   - userId: The user's id.
    ///   - attributes: The user's attributes; nil means none.
    ///   - eventTags: Tags to send with the event: strings and numbers. `revenue` (in cents) and `value` have a special
    ///     meaning.
    open func track(_ eventKey: String, userId: String, attributes: [String: Any]?, eventTags: [String: Any]?) {
        guard project != nil else { return }
        let user = user(userId, attributes)
        do throws(TrackError) {
            let result = try runtime.recordConversion(eventKey, for: user, tags: tags(eventTags))
            let event = EventParameters(result.event).values
            parts.eventDispatcher.dispatchConversionEvent(event, callback: nil)
            notify(.track, user, attributes) {
                var arguments: [AnyHashable: Any] = ["eventKey": eventKey, "event": event]
                arguments["eventTags"] = eventTags
                return arguments
            }
        } catch {
            parts.log(.info, "the event \"\(eventKey)\" is not sent: \(error)")
            parts.errorHandler.handleError(OPTLYErrorTypes.eventTrack.error("\(error)"))
        }
    }
}

extension OPTLYClientBase {
    /// Delivers queued events, and writes assignments to their store.
    ///
    /// Blocks for at most ten seconds. What is unfinished by then is logged; events stay in their file, and are sent at
    /// the next start. The client can still decide afterwards. An event dispatcher of your own is not closed, unless it
    /// is a subclass of ``OPTLYEventDispatcherDefault``.
    public func close() { close(within: .seconds(10)) }

    /// Does what ``close()`` does, within the given limit.
    package func close(within limit: Duration) {
        let dispatcher = parts.eventDispatcher as? OPTLYEventDispatcherDefault
        let done = OneShot<Void>()
        Task(executorPreference: DispatchExecutor.blockingCallers) { [runtime] in
            _ = await runtime.waitForUnfinishedCalls(within: limit / 2)
            async let events: Void? = dispatcher?.flush(within: limit)
            await runtime.profiles?.flush(within: limit)
            await events
            done.end(())
        }
        if done.value(within: limit) == nil {
            parts.log(.warning, "close: the events and assignments are not written yet; that continues")
        }
        let count = dispatcher?.status.waiting ?? 0
        if count > 0 {
            parts.log(.warning, "closed while \(count.counted("event")) could not be delivered yet; they stay queued")
        }
    }
}

extension OPTLYClientBase {
    /// The parsed datafile, or nil, with an error in the log, if there is none.
    var project: Project? {
        if runtime.project == nil {
            parts.log(.error, "the client has no datafile, so the call returns nothing; initialize the manager again")
        }
        return runtime.project
    }

    func user(_ id: String, _ attributes: [String: Any]?) -> User {
        var user = User(id, attributes: Attributes(legacyValues: attributes))
        user.hasTruncatedBuckets = parts.legacyBucketing
        return user
    }

    // MARK: Experiments

    func decide(_ experimentKey: String, for user: User, _ attributes: [String: Any]?) -> LegacyDecision? {
        guard let project else { return nil }
        guard !experimentKey.isEmpty, let experiment = project.experiment(experimentKey) else {
            parts.log(.error, "the datafile has no experiment \"\(experimentKey)\"; the call returns nil")
            return nil
        }
        let result = runtime.evaluateLegacy(experimentKey, for: user) { project, user, profile in
            project.decideExperiment(experimentKey, for: user, profile: profile)
        }
        guard let result else { return nil }
        notifyOfDecision(
            project.isFeatureExperiment(experiment) ? "feature-test" : "ab-test", user, attributes,
            ["experimentKey": experimentKey, "variationKey": result.decision.variationKey.orNull])
        return result
    }

    // MARK: Features

    func flag(_ key: String?) -> Flag? {
        guard let project else { return nil }
        let flag = key.flatMap { project.flag($0) }
        if flag == nil { parts.log(.error, "the datafile has no feature \"\(key ?? "")\"; the call returns nothing") }
        return flag
    }

    func decide(_ flag: Flag, for user: User) -> LegacyDecision? {
        runtime.evaluateLegacy(flag.key, for: user) { project, user, profile in
            project.decideFeature(flag.key, for: user, profile: profile)
        }
    }

    func variable<Value>(
        _ key: String?, _ type: String, of featureKey: String?, _ userId: String?, _ attributes: [String: Any]?,
        _ read: (String) -> Value
    ) -> Value? {
        guard let flag = flag(featureKey), let userId else { return nil }
        guard let variable = flag.variables.last(where: { $0.key == key }), variable.typeName == type else {
            let variable = "\(type) variable \"\(key ?? "")\""
            parts.log(.error, "the feature \"\(flag.key)\" has no \(variable); the call returns nil")
            return nil
        }
        let user = user(userId, attributes)
        guard let decision = decide(flag, for: user)?.decision else { return nil }
        let value = read(decision.text(of: variable))
        notifyOfDecision(
            "feature-variable", user, attributes,
            decision.featureInfo.merging(
                ["variableKey": variable.key, "variableType": type, "variableValue": value]) { $1 })
        return value
    }
}

extension OPTLYClientBase {
    /// Sends an impression and notifies listeners.
    func sendActivation(
        _ impression: Impression, of result: LegacyDecision, _ user: User, _ attributes: [String: Any]?
    ) {
        let event = EventParameters(runtime.send(impression, of: user, with: result.snapshot)).values
        parts.eventDispatcher.dispatchImpressionEvent(event, callback: nil)
        guard let rule = result.decision.rule, let variation = result.decision.variation else { return }
        notify(.activate, user, attributes) {
            ["experiment": OPTLYExperiment(rule), "variation": OPTLYVariation(variation), "event": event]
        }
    }

    func notifyOfDecision(
        _ type: String, _ user: User, _ attributes: [String: Any]?, _ info: @autoclosure () -> [String: Any]
    ) {
        notify(.decision, user, attributes) { ["type": type, "decisionInfo": info()] }
    }

    func notify(
        _ type: OPTLYNotificationType, _ user: User, _ attributes: [String: Any]?,
        _ arguments: () -> [AnyHashable: Any]
    ) {
        guard center.hasListeners(type) else { return }
        var arguments = arguments()
        arguments["userId"] = user.id
        arguments["attributes"] = attributes
        center.sendNotifications(type, args: arguments)
    }
}

extension OPTLYClientBase {
    /// The state of the client: its datafile, events and assignments. Contains no personal data and no secrets.
    ///
    /// ```swift
    /// print(client.status)
    /// ```
    ///
    /// Clients share an event dispatcher: the events include those of its other clients. Of a dispatcher that is not an
    /// ``OPTLYEventDispatcherDefault``, the events are unknown and count as zero. The datafile is requested at most
    /// once, by `initialize(callback:)`, and has no maximum age. Listeners are called at once: no notifications wait.
    public var status: ClientStatus {
        ClientStatus(
            datafile: parts.datafileMonitor.status,
            events: (parts.eventDispatcher as? OPTLYEventDispatcherDefault)?.status ?? EventStatus(),
            profileFailures: runtime.profiles?.failures ?? ProfileFailures(), waitingNotifications: 0,
            lostNotifications: 0)
    }

    /// The metrics of the client: its status as numbers, for any monitoring system. `metrics.prometheus()` is their
    /// text for Prometheus.
    public var metrics: MetricsSnapshot { MetricsSnapshot(status) }
}
