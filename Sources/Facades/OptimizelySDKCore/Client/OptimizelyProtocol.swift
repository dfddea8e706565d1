// The names of the constants are those of the original.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import Foundation

/// The attribute whose string replaces the user id for bucketing.
public let OptimizelyBucketId = "$opt_bucketing_id"
/// The attribute by which events indicate bot filtering.
public let OptimizelyBotFiltering = "$opt_bot_filtering"
/// The attribute with the name of the user's browser.
public let OptimizelyUserAgent = "$opt_user_agent"

/// The methods of a client. `attributes` are the user's attributes; nil means none.
///
/// ``OPTLYClient`` and ``Optimizely`` have these methods. Nothing in this library takes a value of the protocol: use it
/// to pass a client of your own, such as one with fixed variations, to code that you test.
public protocol OptimizelyProtocol: AnyObject {
    /// Activates an experiment for a user: decides the variation and sends an impression.
    ///
    /// - Returns: The variation, or nil if the user gets none. The error handler then receives an error with the code
    ///   `userActivate`.
    @discardableResult
    func activate(_ experimentKey: String, userId: String, attributes: [String: Any]?) -> OPTLYVariation?

    /// Returns the variation that a user gets in an experiment, or nil if none. Sends no impression.
    @discardableResult
    func variation(_ experimentKey: String, userId: String, attributes: [String: Any]?) -> OPTLYVariation?

    /// The variation set by ``setForcedVariation(_:userId:variationKey:)``, or nil if none is set.
    @discardableResult
    func getForcedVariation(_ experimentKey: String, userId: String) -> OPTLYVariation?

    /// Forces a variation of an experiment for a user, in place of bucketing. Kept for the lifetime of the client.
    ///
    /// - Parameters:
    ///   - experimentKey: The key of the experiment.
    ///   - userId: The user's id.
    ///   - variationKey: The key of the variation; nil removes the forced variation.
    /// - Returns: False if there is no datafile, no such experiment, or no such variation in it.
    @discardableResult
    func setForcedVariation(_ experimentKey: String, userId: String, variationKey: String?) -> Bool

    /// Returns whether a feature is on for a user. Sends an impression if an experiment decided.
    ///
    /// Returns false for an unknown feature, and for a feature whose experiments belong to different groups.
    @discardableResult
    func isFeatureEnabled(_ featureKey: String?, userId: String?, attributes: [String: Any]?) -> Bool

    /// Returns the value of a Boolean variable, or nil if there is no such variable of this type. A string that begins
    /// with Y, T or a digit from 1 to 9 is true.
    @discardableResult
    func getFeatureVariableBoolean(
        _ featureKey: String?, variableKey: String?, userId: String?, attributes: [String: Any]?
    ) -> NSNumber?

    /// Returns the value of a double variable, or nil if there is no such variable of this type. A string that is not a
    /// number is 0.
    @discardableResult
    func getFeatureVariableDouble(
        _ featureKey: String?, variableKey: String?, userId: String?, attributes: [String: Any]?
    ) -> NSNumber?

    /// Returns the value of a 32-bit integer variable, or nil if there is no such variable of this type. Only the
    /// digits at the beginning of a string count; without any the value is 0.
    @discardableResult
    func getFeatureVariableInteger(
        _ featureKey: String?, variableKey: String?, userId: String?, attributes: [String: Any]?
    ) -> NSNumber?

    /// Returns the value of a string variable, or nil if there is no such variable of this type.
    @discardableResult
    func getFeatureVariableString(
        _ featureKey: String?, variableKey: String?, userId: String?, attributes: [String: Any]?
    ) -> String?

    /// Returns the keys of the features that are on for a user. Sends the same impressions as
    /// ``isFeatureEnabled(_:userId:attributes:)`` does for each feature.
    @discardableResult
    func getEnabledFeatures(_ userId: String?, attributes: [String: Any]?) -> [String]

    /// Tracks a conversion event for a user.
    ///
    /// - Parameters:
    ///   - eventKey: The key of the event. For an unknown event, the error handler receives an error with the code
    ///     `eventTrack`.
    ///   - userId: The user's id.
    ///   - attributes: The user's attributes; nil means none.
    ///   - eventTags: Tags to send with the event: strings and numbers. `revenue` (in cents) and `value` have a special
    ///     meaning.
    func track(_ eventKey: String, userId: String, attributes: [String: Any]?, eventTags: [String: Any]?)
}

/// Overloads without attributes or event tags.
extension OptimizelyProtocol {
    /// Activates an experiment for a user: decides the variation and sends an impression.
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

    /// Tracks a conversion event for a user.
    public func track(_ eventKey: String, userId: String, attributes: [String: Any]? = nil) {
        track(eventKey, userId: userId, attributes: attributes, eventTags: nil)
    }

    /// Tracks a conversion event for a user.
    public func track(_ eventKey: String, userId: String, eventTags: [String: Any]?) {
        track(eventKey, userId: userId, attributes: nil, eventTags: eventTags)
    }
}
