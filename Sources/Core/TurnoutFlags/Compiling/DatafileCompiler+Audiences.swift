import TurnoutEngine

/// An audience in a datafile.
struct CompiledAudience {
    let id: String
    let name: String
    let condition: JSONValue
    var verbatim: [String: JSONValue] = [:]

    var node: Node {
        .object(["id": .string(id), "name": .string(name), "conditions": Node(condition)], verbatim: verbatim)
    }

    /// The entry for clients that know only audiences of equal strings. The vendor writes a condition that no user
    /// meets; newer clients prefer the entry in `typedAudiences`.
    var legacyNode: Node {
        .object(["id": .string(id), "name": .string(name), "conditions": .string(Self.dummyCondition)])
    }

    private static let dummyCondition = """
        ["or", {"match": "exact", "name": "$opt_dummy_attribute", "type": "custom_attribute", \
        "value": "$opt_dummy_value"}]
        """
}

/// The condition of a rule or a holdout in a datafile.
struct CompiledCondition {
    /// The audience ids, of which older clients ask for one.
    var ids: [String] = []
    /// The condition as a tree of audience ids; empty for everyone.
    var condition = JSONValue.array([])

    var idsNode: Node { .strings(ids) }
    var node: Node { Node(condition) }
}

extension DatafileCompiler {
    /// The named audiences, by key.
    mutating func namedAudiences() -> [CompiledAudience] {
        var audiences: [CompiledAudience] = []
        for audience in project.audiences {
            do throws(ConditionCompiler.Problem) {
                let condition = try conditions.audienceCondition(.audience(audience.key, audience.origin))
                audiences.append(
                    CompiledAudience(
                        id: compilation.audienceIDs[audience.key] ?? "", name: audience.key, condition: condition,
                        verbatim: audience.verbatim))
            } catch { compilation.report(error, at: audience.origin) }
        }
        return audiences
    }

    /// The condition of a rule or a holdout with these keys, which gets an audience of its own if the condition has no
    /// name. Such an audience is in the datafile if `isPresent`; it has its id in any case.
    mutating func compile(
        _ condition: AuthoredCondition?, of name: String, keys: [String], lockedKeys: [String]?,
        at origin: SourceOrigin,
        isPresent: Bool
    ) -> CompiledCondition {
        guard let condition else { return CompiledCondition() }
        do throws(ConditionCompiler.Problem) {
            if let tree = try conditions.ruleCondition(condition) {
                return CompiledCondition(ids: tree.audienceIDs, condition: tree)
            }
            let value = try conditions.audienceCondition(condition)
            let id = compilation.lock.id(
                EntityPath(.audience, keys), lockedAs: lockedKeys.map { EntityPath(.audience, $0) })
            if isPresent { ruleAudiences.append(CompiledAudience(id: id, name: name, condition: value)) }
            return CompiledCondition(ids: [id], condition: .array([.string("or"), .string(id)]))
        } catch {
            compilation.report(error, at: origin)
            return CompiledCondition()
        }
    }
}
