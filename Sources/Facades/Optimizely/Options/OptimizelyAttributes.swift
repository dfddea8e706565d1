/// What is known about a user, by attribute key. Conditions compare texts, numbers and Booleans.
public typealias OptimizelyAttributes = [String: Any?]

/// What is known about a conversion, by tag; `revenue` and `value` are special.
public typealias OptimizelyEventTags = [String: Any]
