/// A variation of a rule.
public struct Variation: Sendable {
    let project: Project
    let index: Int

    var row: VariationRow { project.tables.variations[index] }

    /// The id in profiles and events.
    public var id: String { project.text(row.id) }
    /// The variation's key.
    public var key: String { project.text(row.key) }
    /// Whether the flag is on for users of this variation. False if the datafile does not say.
    public var isEnabled: Bool { row.isEnabled }
    /// The datafile's value for ``isEnabled``, or nil if it has none.
    public var featureEnabled: Bool? { row.featureEnabled }

    /// The variation's own values for variables of its flag, as strings, by variable id.
    public var overrides: [(variableID: String, value: String)] {
        row.overrides.range.map { index in
            let override = project.tables.overrides[index]
            return (project.text(override.variableID), project.text(override.value))
        }
    }
}
