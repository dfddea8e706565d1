/// One of the things that a rule can give to a user.
public struct Variation: Sendable {
    let project: Project
    let index: Int

    var row: VariationRow { project.tables.variations[index] }

    /// The id that profiles and events use.
    public var id: String { project.text(row.id) }
    /// The key that people use.
    public var key: String { project.text(row.key) }
    /// Whether the flag is on for users of this variation. False if the datafile does not say.
    public var isEnabled: Bool { row.isEnabled }
    /// What the datafile says about ``isEnabled``.
    public var featureEnabled: Bool? { row.featureEnabled }

    /// The variation's own values for variables of its flag, as texts, by variable id.
    public var overrides: [(variableID: String, value: String)] {
        row.overrides.range.map { index in
            let override = project.tables.overrides[index]
            return (project.text(override.variableID), project.text(override.value))
        }
    }
}
