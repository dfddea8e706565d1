/// A user's attributes by key. Audience conditions compare strings, numbers and Booleans.
public typealias OptimizelyAttributes = [String: Any?]

/// A conversion event's tags; `revenue` and `value` have a special meaning.
public typealias OptimizelyEventTags = [String: Any]
