/// The region in which a project's events are collected.
public enum Region: String, Codable, Equatable, Sendable {
    // swift-format-ignore: AlwaysUseLowerCamelCase
    /// The United States.
    case US
    // swift-format-ignore: AlwaysUseLowerCamelCase
    /// The European Union.
    case EU
}
