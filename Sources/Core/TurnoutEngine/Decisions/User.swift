/// Whom to decide for.
///
/// ```swift
/// var ada = User("ada", attributes: ["country": "US", "age": 36])
/// ada.forcedDecisions[.init(flag: "checkout")] = "treatment"
/// ```
///
/// A user is a value: a copy taken for a decision does not change when the original does.
public struct User: Sendable {
    /// The id that profiles and events use, and unless an attribute says otherwise the one that is bucketed.
    public let id: String

    /// What is known about the user. Default: nothing.
    public var attributes: Attributes {
        didSet { bucketing = Bucketing(bucketingID: bucketingID) }
    }

    /// The segments that the user belongs to, for `qualified` conditions. Default: none.
    public var segments: Set<String> = []

    /// The variations that the user gets in place of a decision. Default: none.
    public var forcedDecisions: ForcedDecisions = [:]

    /// Variations that the user gets in experiments: variation ids by experiment id. Default: none.
    ///
    /// Unlike ``forcedDecisions`` these respect holdouts and the status of the experiment.
    public var forcedVariations: [String: String] = [:]

    /// Whether the user's buckets are those of ``Bucketing/truncatedBucket(bucketingID:entityID:)``. Default: false.
    package var hasTruncatedBuckets = false

    private(set) var bucketing: Bucketing

    /// Creates a user.
    public init(_ id: String, attributes: Attributes = [:]) {
        self.id = id
        self.attributes = attributes
        bucketing = Bucketing(bucketingID: Self.bucketingID(attributes) ?? id)
    }

    /// The text that is hashed: the attribute `$opt_bucketing_id` if it is a text, even an empty one, or the id.
    public var bucketingID: String { Self.bucketingID(attributes) ?? id }

    /// The bucket of the user in an entity.
    @inline(__always)
    func bucket(entityID: String) -> Int {
        guard hasTruncatedBuckets else { return bucketing.bucket(entityID: entityID) }
        return Bucketing.truncatedBucket(bucketingID: bucketingID, entityID: entityID)
    }

    /// How many groups users are spread over, so that threads that decide for different users seldom share a reference
    /// count or a lock. A power of two.
    package static let stripeCount = 64

    /// The user's group, from 0 up to ``stripeCount``.
    @inline(__always)
    package var stripe: Int { Int(bucketing.stripe) & (Self.stripeCount - 1) }

    @inline(__always)
    private static func bucketingID(_ attributes: Attributes) -> String? {
        guard !attributes.isEmpty, case .string(let id) = attributes.value(hash: bucketingHash, { $0 == bucketingName })
        else {
            return nil
        }
        return id
    }

    private static let bucketingName = "$opt_bucketing_id"
    private static let bucketingHash = Attributes.hash(of: bucketingName)
}

/// Variation keys by flag, or by flag and rule.
public typealias ForcedDecisions = [DecisionContext: String]

/// What a forced decision is for: a flag as a whole, or one of its rules.
public struct DecisionContext: Sendable, Hashable {
    /// The key of the flag.
    public var flag: String
    /// The key of the rule, or nil: whatever the rule.
    public var rule: String?

    /// Creates a context.
    public init(flag: String, rule: String? = nil) {
        self.flag = flag
        self.rule = rule
    }
}
