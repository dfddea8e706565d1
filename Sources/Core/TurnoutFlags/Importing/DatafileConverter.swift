import TurnoutEngine

/// Converts the entities of a datafile to the parts of a project.
///
/// Members without a spelling are converted as far as possible; ``VerbatimMembers`` carries the rest.
struct DatafileConverter {
    let root: JSONValue
    let environment: String
    var project: AuthoredProject
    var lock = LockFile()
    var notes: [Diagnostic] = []
    /// The entities with a part in the project, to be compared with what they compile to.
    var entities: [ImportedEntity] = []

    /// The keys of audiences by id.
    var audienceKeys: [String: String] = [:]
    /// The rules of flags and those without a flag, by id, for groups and holdouts.
    var ruleReferences: [String: RuleReference] = [:]
    /// The keys of rules that are taken.
    var ruleKeys: Set<String> = []
    /// The keys of flags that are taken.
    var flagKeys: Set<String> = []
    /// The attributes that only conditions name.
    private(set) var undeclaredAttributes: Set<String> = []
    /// The parts that have an id, by kind and id.
    private var owners: [EntityPath.Kind: [String: EntityPath]] = [:]

    init(_ root: JSONValue, environment: String?) {
        self.root = root
        self.environment = environment ?? root["environmentKey"]?.text ?? "production"
        let projectID = root["projectId"]?.text ?? ""
        project = AuthoredProject(key: projectID.isEmpty ? "imported" : projectID)
        lock.projectKey = project.key
        project.verbatim = keep(projectID, of: EntityPath(.project), as: "projectId")
    }

    mutating func convert() {
        convertSettings()
        convertAttributesAndEvents()
        convertAudiences()
        convertFlags()
        convertStandaloneExperiments()
        convertGroups()
        convertHoldouts()
        declareAttributes()
    }

    private mutating func convertSettings() {
        project.settings.account = root["accountId"]?.text ?? ""
        project.settings.region = root["region"]?.text.flatMap(Project.Region.init)
        project.settings.anonymizesIP = root["anonymizeIP"]?.bool ?? false
        project.settings.filtersBots = root["botFiltering"]?.bool
        project.settings.sendsFlagDecisions = root["sendFlagDecisions"]?.bool ?? false
        if let service = root.list("integrations").first(where: { $0["key"]?.text == "odp" }) {
            project.settings.segments = SegmentService(
                host: service["host"]?.text, publicKey: service["publicKey"]?.text)
        }
        project.environments = [
            AuthoredEnvironment(key: environment, sdkKeys: root["sdkKey"]?.text.map { [$0] } ?? [])
        ]
        let revision = root["revision"]?.text.flatMap(Project.number) ?? 0
        lock.revisions[environment] = LockFile.Revision(
            number: min(max(0, revision), LockFile.Revision.greatest), contentHash: "")
    }

    private mutating func convertAttributesAndEvents() {
        for attribute in root.list("attributes") {
            let key = attribute["key"]?.text ?? ""
            guard !project.attributes.contains(where: { $0.key == key }) else { continue }
            let place = project.attributes.count
            project.attributes.append(AuthoredAttribute(key: key))
            project.attributes[place].verbatim = keep(attribute["id"]?.text, of: EntityPath(.attribute, key))
            add(attribute, in: "attributes", as: key, \.attributes[place].verbatim)
        }
        for event in root.list("events") {
            let key = event["key"]?.text ?? ""
            guard !project.events.contains(where: { $0.key == key }) else { continue }
            let place = project.events.count
            project.events.append(AuthoredEvent(key: key))
            project.events[place].verbatim = keep(event["id"]?.text, of: EntityPath(.event, key))
            add(event, in: "events", as: key, \.events[place].verbatim)
        }
    }

    /// Adds the attributes that conditions test although the datafile does not declare them.
    private mutating func declareAttributes() {
        let known = Set(project.attributes.map(\.key))
        let rules = project.flags.map(\.rules)
        let conditions =
            project.audiences.map(\.condition)
            + (project.experiments + rules.flatMap(\.experiments)).compactMap(\.audience)
            + rules.flatMap(\.deliveries).compactMap(\.audience) + project.holdouts.compactMap(\.audience)
        undeclaredAttributes = Set(conditions.flatMap(\.attributeTests).map(\.attribute)).subtracting(known)
        for key in undeclaredAttributes.sorted() {
            project.attributes.append(AuthoredAttribute(key: key))
            notes.append(
                Diagnostic(
                    .note, "attribute-added",
                    "attribute \(key) is tested by conditions and declared nowhere, so it is added"))
        }
    }

    /// Remembers an entity that has a part in the project. `id` replaces the entity's own.
    mutating func add(
        _ entity: JSONValue, in list: String, as id: String? = nil,
        _ verbatim: WritableKeyPath<AuthoredProject, [String: JSONValue]>
    ) {
        let id = id ?? entity["id"]?.text ?? ""
        entities.append(ImportedEntity(list: list, id: id, original: entity, verbatim: verbatim))
    }

    /// Keeps the id of a part in the lock. If another part has it, or it is empty, a lock cannot: it is carried by the
    /// member that is returned.
    mutating func keep(_ id: String?, of path: EntityPath, as member: String = "id") -> [String: JSONValue] {
        guard let id else { return [:] }
        let owner = owners[path.kind]?[id]
        guard !id.isEmpty, owner?.mayShareID(with: path) ?? true else { return [member: .string(id)] }
        owners[path.kind, default: [:]][id] = path
        lock.ids[path] = id
        return [:]
    }

    /// A rule key that no other rule has. The original key is carried verbatim if it differs.
    mutating func uniqueRuleKey(_ key: String) -> String {
        unique(key.isEmpty ? "rule" : key, among: &ruleKeys)
    }

    /// The key, with a number added if it is taken.
    func unique(_ key: String, among taken: inout Set<String>) -> String {
        var candidate = key
        var number = 2
        while !taken.insert(candidate).inserted {
            candidate = "\(key)-\(number)"
            number += 1
        }
        return candidate
    }

    // MARK: Audiences
    fileprivate mutating func convertAudiences() {
        let typed = root.list("typedAudiences").map { ("typedAudiences", $0) }
        let typedIDs = Set(typed.compactMap { $0.1["id"]?.text })
        // Every typed audience has a twin with a dummy condition for older clients.
        let legacy = root.list("audiences").filter { !typedIDs.contains($0["id"]?.text ?? "") }.map {
            ("audiences", $0)
        }
        var names: Set<String> = []
        var all: [(list: String, audience: JSONValue, key: String)] = []
        for (list, audience) in typed + legacy {
            guard let id = audience["id"]?.text, audienceKeys[id] == nil else { continue }
            let key = unique(audience["name"]?.text ?? id, among: &names)
            audienceKeys[id] = key
            all.append((list, audience, key))
        }
        for (list, audience, key) in all {
            let place = project.audiences.count
            project.audiences.append(
                AuthoredAudience(key: key, condition: condition(audience["conditions"]?.parsedCondition ?? .null)))
            project.audiences[place].verbatim = keep(audience["id"]?.text, of: EntityPath(.audience, key))
            add(audience, in: list, \.audiences[place].verbatim)
        }
    }

    /// The condition that a condition of the datafile spells.
    func condition(_ value: JSONValue) -> AuthoredCondition {
        switch value {
        case .string(let id): audienceKeys[id].map { .audience($0, SourceOrigin()) } ?? .verbatim(value)
        case .array(let items): list(items) ?? .verbatim(value)
        case .object(let members): leaf(members) ?? .verbatim(value)
        default: .verbatim(value)
        }
    }

    private func list(_ items: [JSONValue]) -> AuthoredCondition? {
        guard let name = items.first?.text else { return nil }
        let operands = items.dropFirst().map(condition)
        return switch name {
        case "and": .all(operands)
        case "or": .any(operands)
        case "not": operands.count == 1 ? .not(operands[0]) : nil
        default: nil
        }
    }

    private func leaf(_ members: [String: JSONValue]) -> AuthoredCondition? {
        guard Set(members.keys).isSubset(of: ["name", "type", "match", "value"]), let name = members["name"]?.text
        else {
            return nil
        }
        let matchName = members["match"]?.text ?? "exact"
        if members["type"]?.text == "third_party_dimension" {
            guard matchName == "qualified", name == "odp.audiences", let segment = members["value"]?.text else {
                return nil
            }
            return .segment(segment, SourceOrigin())
        }
        guard members["type"]?.text == "custom_attribute", let match = AttributeTest.Match(rawValue: matchName) else {
            return nil
        }
        var value = members["value"] == .null ? nil : members["value"]
        guard match == .exists || value != nil else { return nil }
        if case .unsigned(let number)? = value { value = .double(Double(number)) }
        return .attribute(AttributeTest(name, match, match == .exists ? nil : value))
    }

    /// The audience of a rule or a holdout; nil for everyone.
    func audience(of rule: JSONValue) -> AuthoredCondition? {
        if let conditions = rule["audienceConditions"], conditions != .null {
            return conditions == .array([]) ? nil : condition(conditions)
        }
        let ids = rule.list("audienceIds")
        if ids.isEmpty { return nil }
        return ids.count == 1 ? condition(ids[0]) : .any(ids.map(condition))
    }
}

// MARK: JSON

extension JSONValue {
    /// The text of a string, or nil.
    var text: String? {
        guard case .string(let text) = self else { return nil }
        return text
    }

    /// The value of a Boolean, or nil.
    var bool: Bool? {
        guard case .bool(let value) = self else { return nil }
        return value
    }

    /// The whole number, which a datafile may write with a fraction of zero.
    var wholeNumber: Int? {
        switch self {
        case .integer(let value): Int(clamping: value)
        case .double(let value): Int(exactly: value)
        default: nil
        }
    }

    /// The members of an object with other keys than these, which have a meaning.
    func members(except keys: [String]) -> [String: JSONValue] {
        objectMembers.filter { $0.value != .null && !keys.contains($0.key) }
    }

    /// The elements of a member that is an array; empty if it is missing.
    func list(_ key: String) -> [JSONValue] {
        guard case .array(let elements) = self[key] else { return [] }
        return elements
    }

    /// The id of a flag's rollout. Spaces and tabs around it do not count.
    var rolloutID: String {
        let id = self["rolloutId"]?.text ?? ""
        let inner = id.unicodeScalars.drop { $0 == " " || $0 == "\t" }
        return String(String.UnicodeScalarView(inner.reversed().drop { $0 == " " || $0 == "\t" }.reversed()))
    }

    /// A condition of an audience, which may be JSON in a string.
    var parsedCondition: JSONValue {
        guard case .string(let text) = self else { return self }
        do throws(JSONError) { return try JSONValue(parsing: text) } catch { return self }
    }
}
