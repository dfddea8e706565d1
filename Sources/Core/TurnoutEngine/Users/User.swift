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

extension User: CustomStringConvertible {
    /// The names of the user's attributes: `user with attributes country, orders`. The id and all values may be
    /// personal and are left out, even where Swift prints a user inside another value.
    public var description: String { description(includingPersonalData: false) }

    /// The user, with the id and the values on request:
    ///
    /// ```text
    /// user "ada" with attributes country=US, orders=12
    /// ```
    ///
    /// Do not write that to logs that others read.
    public func description(includingPersonalData isIncluded: Bool) -> String {
        func listed(_ names: some Collection<String>, _ noun: String) -> String? {
            guard !names.isEmpty else { return nil }
            return noun + (isIncluded ? "s " + names.sorted().joined(separator: ", ") : "s: \(names.count)")
        }
        let forced = forcedDecisions.map { $0.flag + ($0.rule.map { "/\($0)" } ?? "") + "=" + $1 }
        let parts = [
            attributes.isEmpty ? nil : "attributes " + attributes.description(includingPersonalData: isIncluded),
            listed(segments, "segment"), listed(forced, "forced decision"),
            listed(forcedVariations.map { "\($0)=\($1)" }, "forced variation"),
        ].compactMap(\.self)
        return "user" + (isIncluded ? " \(id.debugDescription)" : "")
            + (parts.isEmpty ? "" : " with " + parts.joined(separator: "; "))
    }
}

extension User {
    /// Reads a user from a JSON object, as in files with one user per line:
    ///
    /// ```json
    /// {"user": "ada", "attributes": {"country": "US", "age": 36}, "segments": ["vip"],
    ///  "forcedDecisions": [{"flag": "checkout", "rule": "checkout_test", "variation": "control"}]}
    /// ```
    ///
    /// All members except `user` may be missing or null, and so may `rule`. Of duplicate members the first counts;
    /// others are ignored.
    ///
    /// - Throws: `JSONError` with the path, line and column.
    public init(parsing text: [UInt8]) throws(JSONError) {
        self = try text.withBytes { (bytes) throws(JSONError) in try User(parsing: bytes) }
    }

    /// Reads a user from the bytes of a JSON object.
    package init(parsing bytes: UnsafeBufferPointer<UInt8>) throws(JSONError) {
        self = try JSONReader.read(bytes) { (reader) throws(JSONError) in try reader.readUser() }
    }
}

extension JSONReader {
    fileprivate mutating func readUser() throws(JSONError) -> User {
        var id: String?
        var attributes: Attributes?
        var segments: Set<String>?
        var forcedDecisions: ForcedDecisions?
        _ = peek()
        let start = cursor
        try readMembers { (reader, key) throws(JSONError) in
            // The length is compared first, because comparing strings takes quadratic time for runs of combining marks.
            switch key.utf8.count {
            case 4 where id == nil && key == "user": id = try reader.readString().string
            case 10 where attributes == nil && key == "attributes":
                attributes = try reader.skipNull() ? [:] : try reader.readAttributes()
            case 8 where segments == nil && key == "segments":
                segments = try reader.skipNull() ? [] : try reader.readSegments()
            case 15 where forcedDecisions == nil && key == "forcedDecisions":
                forcedDecisions = try reader.skipNull() ? [:] : try reader.readForcedDecisions()
            default: try reader.skipValue()
            }
        }
        guard let id else { throw error("the member \"user\" is missing", at: start) }
        var user = User(id, attributes: attributes ?? [:])
        user.segments = segments ?? []
        user.forcedDecisions = forcedDecisions ?? [:]
        return user
    }

    private mutating func readSegments() throws(JSONError) -> Set<String> {
        var segments: Set<String> = []
        try readElements { (reader) throws(JSONError) in segments.insert(try reader.readString().key) }
        return segments
    }

    private mutating func readForcedDecisions() throws(JSONError) -> ForcedDecisions {
        var forcedDecisions: ForcedDecisions = [:]
        try readElements { (reader) throws(JSONError) in
            let (context, variation) = try reader.readForcedDecision()
            forcedDecisions[context] = variation
        }
        return forcedDecisions
    }

    private mutating func readAttributes() throws(JSONError) -> Attributes {
        var attributes = Attributes()
        try readMembers { (reader, key) throws(JSONError) in
            let value = AttributeValue(try reader.readValue())
            if attributes[key] == nil { attributes[key] = value }
        }
        return attributes
    }

    private mutating func readForcedDecision() throws(JSONError) -> (DecisionContext, variation: String) {
        var flag: String?
        var rule: String?
        var variation: String?
        _ = peek()
        let start = cursor
        try readMembers { (reader, key) throws(JSONError) in
            switch key.utf8.count {
            case 4 where flag == nil && key == "flag": flag = try reader.readString().key
            case 4 where rule == nil && key == "rule": rule = try reader.skipNull() ? nil : try reader.readString().key
            case 9 where variation == nil && key == "variation": variation = try reader.readString().string
            default: try reader.skipValue()
            }
        }
        guard let flag, let variation else {
            throw error("a forced decision needs the members \"flag\" and \"variation\"", at: start)
        }
        return (DecisionContext(flag: flag, rule: rule), variation)
    }

    private mutating func readMembers(
        _ body: (inout JSONReader, String) throws(JSONError) -> Void
    ) throws(JSONError) {
        var isFirst = true
        try enterObject()
        while let key = try nextKey(isFirst: &isFirst)?.string {
            do throws(JSONError) { try body(&self, key) } catch { throw error.inside(.key(key)) }
        }
    }

    private mutating func readElements(
        _ body: (inout JSONReader) throws(JSONError) -> Void
    ) throws(JSONError) {
        var isFirst = true
        var index = 0
        try enterArray()
        while try nextElement(isFirst: &isFirst) {
            do throws(JSONError) { try body(&self) } catch { throw error.inside(.index(index)) }
            index += 1
        }
    }
}

/// A user's earlier assignments: variation ids by experiment id.
///
/// An assignment is kept as long as its variation exists, even if audiences and traffic change.
public struct UserProfile: Sendable, Equatable {
    /// The variation ids by experiment id.
    public var assignments: [String: String]
    /// Whether the profile could not be loaded.
    package private(set) var isUnavailable = false

    /// Represents a profile that could not be loaded: the decision reports it, and its assignment is not stored, since
    /// it might differ from an earlier one.
    package static let unavailable: UserProfile = {
        var profile = UserProfile()
        profile.isUnavailable = true
        return profile
    }()

    /// Creates a profile.
    public init(_ assignments: [String: String] = [:]) { self.assignments = assignments }

    /// Reads a profile in the schema that the vendor's clients share:
    /// `{"user_id": "…", "experiment_bucket_map": {"<experiment id>": {"variation_id": "<variation id>"}}}`.
    ///
    /// A map with any malformed entry is treated as empty, as in the reference, because a later write would replace it.
    public init(_ value: JSONValue) {
        assignments = [:]
        guard case .object(let map)? = value["experiment_bucket_map"] else { return }
        var assignments: [String: String] = [:]
        for (experimentID, entry) in map {
            guard case .object(let members) = entry else { return }
            for case let (key, .string(text)) in members where key == "variation_id" {
                assignments[experimentID] = text
            }
            guard members.values.allSatisfy({ if case .string = $0 { true } else { false } }) else { return }
        }
        self.assignments = assignments
    }
}
