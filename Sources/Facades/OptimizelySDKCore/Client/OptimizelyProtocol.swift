// The names of the constants are those of the original.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import Foundation

/// The attribute whose text takes the place of the user's id when a bucket is chosen.
public let OptimizelyBucketId = "$opt_bucketing_id"
/// The attribute by which events say whether bots are filtered.
public let OptimizelyBotFiltering = "$opt_bot_filtering"
/// The attribute with the name of the user's browser.
public let OptimizelyUserAgent = "$opt_user_agent"

/// The calls of a client. `attributes` is what is known about the user; nil: nothing.
public protocol OptimizelyProtocol: AnyObject {
    /// Gives a user a variation of an experiment, and sends an impression.
    ///
    /// - Returns: The variation, or nil: none. The error handler is told why, with the code `userActivate`.
    @discardableResult
    func activate(_ experimentKey: String, userId: String, attributes: [String: Any]?) -> OPTLYVariation?

    /// The variation of an experiment that a user gets, or nil: none. No impression is sent.
    @discardableResult
    func variation(_ experimentKey: String, userId: String, attributes: [String: Any]?) -> OPTLYVariation?

    /// The variation that ``setForcedVariation(_:userId:variationKey:)`` set, or nil: none.
    @discardableResult
    func getForcedVariation(_ experimentKey: String, userId: String) -> OPTLYVariation?

    /// Puts a user into a variation of an experiment, in place of what their bucket says. Kept as long as the client.
    ///
    /// - Parameters:
    ///   - experimentKey: The key of the experiment.
    ///   - userId: The user's id.
    ///   - variationKey: The key of the variation; nil: no more.
    /// - Returns: False if there is no such experiment, or no such variation in it.
    @discardableResult
    func setForcedVariation(_ experimentKey: String, userId: String, variationKey: String?) -> Bool

    /// Whether a feature is on for a user. Sends an impression if an experiment decided.
    ///
    /// False for an unknown feature, and for one whose experiments are of different groups.
    @discardableResult
    func isFeatureEnabled(_ featureKey: String?, userId: String?, attributes: [String: Any]?) -> Bool

    /// The value of a boolean variable, or nil: there is no such variable of this type. A text that begins with Y, T or
    /// a digit from 1 to 9 is true.
    @discardableResult
    func getFeatureVariableBoolean(
        _ featureKey: String?, variableKey: String?, userId: String?, attributes: [String: Any]?
    ) -> NSNumber?

    /// The value of a double variable, or nil: there is no such variable of this type. A text that is no number is 0.
    @discardableResult
    func getFeatureVariableDouble(
        _ featureKey: String?, variableKey: String?, userId: String?, attributes: [String: Any]?
    ) -> NSNumber?

    /// The value of an integer variable of 32 bits, or nil: there is no such variable of this type. Of a text the
    /// digits at its beginning count; without any it is 0.
    @discardableResult
    func getFeatureVariableInteger(
        _ featureKey: String?, variableKey: String?, userId: String?, attributes: [String: Any]?
    ) -> NSNumber?

    /// The value of a string variable, or nil: there is no such variable of this type.
    @discardableResult
    func getFeatureVariableString(
        _ featureKey: String?, variableKey: String?, userId: String?, attributes: [String: Any]?
    ) -> String?

    /// The keys of the features that are on for a user. Each sends what asking for it alone would send.
    @discardableResult
    func getEnabledFeatures(_ userId: String?, attributes: [String: Any]?) -> [String]

    /// Counts something that a user did.
    ///
    /// - Parameters:
    ///   - eventKey: The key of the event. Of an unknown one the error handler is told, with the code `eventTrack`.
    ///   - userId: The user's id.
    ///   - attributes: As above.
    ///   - eventTags: What to add: texts and numbers. `revenue` (in cents) and `value` are special.
    func track(_ eventKey: String, userId: String, attributes: [String: Any]?, eventTags: [String: Any]?)
}

/// The same with less to write: nothing is known about the user, or nothing is added.
extension OptimizelyProtocol {
    /// Gives a user a variation of an experiment, and sends an impression.
    @discardableResult
    public func activate(_ experimentKey: String, userId: String) -> OPTLYVariation? {
        activate(experimentKey, userId: userId, attributes: nil)
    }

    /// The variation of an experiment that a user gets.
    @discardableResult
    public func variation(_ experimentKey: String, userId: String) -> OPTLYVariation? {
        variation(experimentKey, userId: userId, attributes: nil)
    }

    /// Whether a feature is on for a user.
    @discardableResult
    public func isFeatureEnabled(_ featureKey: String?, userId: String?) -> Bool {
        isFeatureEnabled(featureKey, userId: userId, attributes: nil)
    }

    /// The value of a boolean variable.
    @discardableResult
    public func getFeatureVariableBoolean(_ featureKey: String?, variableKey: String?, userId: String?) -> NSNumber? {
        getFeatureVariableBoolean(featureKey, variableKey: variableKey, userId: userId, attributes: nil)
    }

    /// The value of a double variable.
    @discardableResult
    public func getFeatureVariableDouble(_ featureKey: String?, variableKey: String?, userId: String?) -> NSNumber? {
        getFeatureVariableDouble(featureKey, variableKey: variableKey, userId: userId, attributes: nil)
    }

    /// The value of an integer variable.
    @discardableResult
    public func getFeatureVariableInteger(_ featureKey: String?, variableKey: String?, userId: String?) -> NSNumber? {
        getFeatureVariableInteger(featureKey, variableKey: variableKey, userId: userId, attributes: nil)
    }

    /// The value of a string variable.
    @discardableResult
    public func getFeatureVariableString(_ featureKey: String?, variableKey: String?, userId: String?) -> String? {
        getFeatureVariableString(featureKey, variableKey: variableKey, userId: userId, attributes: nil)
    }

    /// The keys of the features that are on for a user.
    @discardableResult
    public func getEnabledFeatures(_ userId: String?) -> [String] { getEnabledFeatures(userId, attributes: nil) }

    /// Counts something that a user did.
    public func track(_ eventKey: String, userId: String, attributes: [String: Any]? = nil) {
        track(eventKey, userId: userId, attributes: attributes, eventTags: nil)
    }

    /// Counts something that a user did.
    public func track(_ eventKey: String, userId: String, eventTags: [String: Any]?) {
        track(eventKey, userId: userId, attributes: nil, eventTags: eventTags)
    }
}
