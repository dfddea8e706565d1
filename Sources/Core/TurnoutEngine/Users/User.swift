/// A user that flags are decided for.
///
/// ```swift
/// var ada = User("ada", attributes: ["country": "US", "age": 36])
/// ada.forcedDecisions[.init(flag: "checkout")] = "treatment"
/// ```
///
/// A user is a value: a copy taken for a decision does not change when the original does.
public struct User: Sendable {
    /// The id in profiles and events. It is also hashed for bucketing, unless an attribute replaces it.
    public let id: String

    /// The user's attributes. Default: none.
    public var attributes: Attributes {
        didSet { bucketing = Bucketing(bucketingID: bucketingID) }
    }

    /// The user's segments, for `qualified` conditions. Default: none.
    public var segments: Set<String> = []

    /// The variations that replace decisions. Default: none.
    public var forcedDecisions: ForcedDecisions = [:]

    /// The user's forced variations in experiments: variation ids by experiment id. Default: none.
    ///
    /// Unlike ``forcedDecisions``, these respect holdouts and the experiment's status.
    public var forcedVariations: [String: String] = [:]

    /// Whether the user is bucketed by ``Bucketing/truncatedBucket(bucketingID:entityID:)``. Default: false.
    package var hasTruncatedBuckets = false

    private(set) var bucketing: Bucketing

    /// Creates a user.
    public init(_ id: String, attributes: Attributes = [:]) {
        self.id = id
        self.attributes = attributes
        bucketing = Bucketing(bucketingID: Self.bucketingID(attributes) ?? id)
    }

    /// Creates a user with attributes from variables, optionals and enumerations; see
    /// ``Attributes/init(_:)-(KeyValuePairs<String,(AttributeConvertible)?>)``.
    @_disfavoredOverload
    public init(_ id: String, attributes: KeyValuePairs<String, (any AttributeConvertible)?>) {
        self.init(id, attributes: Attributes(attributes))
    }

    /// The string that is hashed: the attribute `$opt_bucketing_id` if it is a string, even an empty one, or the id.
    public var bucketingID: String { Self.bucketingID(attributes) ?? id }

    /// The user's bucket for an entity.
    @inline(__always)
    func bucket(entityID: String) -> Int {
        guard hasTruncatedBuckets else { return bucketing.bucket(entityID: entityID) }
        return Bucketing.truncatedBucket(bucketingID: bucketingID, entityID: entityID)
    }

    @inline(__always)
    private static func bucketingID(_ attributes: Attributes) -> String? {
        guard !attributes.isEmpty,
            case .string(let id) = attributes.value(hash: bucketingHash, { $0.hasSameBytes(as: bucketingName) })
        else { return nil }
        return id
    }

    private static let bucketingName = "$opt_bucketing_id"
    private static let bucketingHash = Attributes.hash(of: bucketingName)
}

/// Variation keys by flag, or by flag and rule.
public typealias ForcedDecisions = [DecisionContext: String]

/// The target of a forced decision: a flag, or one of its rules.
public struct DecisionContext: Sendable, Hashable {
    /// The key of the flag.
    public var flag: String
    /// The key of the rule, or nil for the whole flag.
    public var rule: String?

    /// Creates a context.
    public init(flag: String, rule: String? = nil) {
        self.flag = flag
        self.rule = rule
    }
}
