/// Something that happened in a client.
public enum ClientNotification: Sendable {
    /// A flag was decided for a user. Not sent for errors: no datafile, an unknown flag, a missing prediction.
    case decision(Decision, user: User)
    /// An impression was accepted for delivery.
    case impression(Impression, user: User)
    /// A conversion was accepted for delivery.
    case conversion(Conversion, user: User)
    /// The client now uses another datafile. Not sent at the start.
    case datafileChange(Project)
    /// The datafile became stale, or is current again; see ``ClientConfiguration/maximumDatafileAge``.
    case stalenessChange(isStale: Bool)

    /// The kind of the notification.
    public var kind: NotificationKinds {
        switch self {
        case .decision: .decisions
        case .impression: .impressions
        case .conversion: .conversions
        case .datafileChange: .datafileChanges
        case .stalenessChange: .stalenessChanges
        }
    }
}

extension ClientNotification: CustomStringConvertible {
    /// The event without the user: `decision checkout: one_page (on) by checkout_test, bucketed`.
    public var description: String { description(includingPersonalData: false) }

    /// The event, with the user on request; see `User.description(includingPersonalData:)`.
    public func description(includingPersonalData isIncluded: Bool) -> String {
        func of(_ user: User) -> String {
            isIncluded ? " for " + user.description(includingPersonalData: true) : ""
        }
        return switch self {
        case .decision(let decision, let user): "decision \(decision)" + of(user)
        case .impression(let impression, let user):
            "impression of \(impression.flagKey): \(impression.variationKey)" + of(user)
        case .conversion(let conversion, let user): "conversion \(conversion.eventKey)" + of(user)
        case .datafileChange(let project): "datafile change to revision \(project.revision)"
        case .stalenessChange(let isStale): isStale ? "the datafile is stale" : "the datafile is no longer stale"
        }
    }
}

/// The kinds of notifications that a listener receives.
public struct NotificationKinds: OptionSet, Sendable, Hashable {
    /// One bit for each kind.
    public let rawValue: UInt8

    /// Creates kinds from their bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Decisions for flags.
    public static let decisions = NotificationKinds(rawValue: 1 << 0)
    /// Impressions.
    public static let impressions = NotificationKinds(rawValue: 1 << 1)
    /// Conversions.
    public static let conversions = NotificationKinds(rawValue: 1 << 2)
    /// Replacements of the datafile.
    public static let datafileChanges = NotificationKinds(rawValue: 1 << 3)
    /// Changes of the datafile's staleness.
    public static let stalenessChanges = NotificationKinds(rawValue: 1 << 4)
    /// Everything.
    public static let all: NotificationKinds = [
        .decisions, .impressions, .conversions, .datafileChanges, .stalenessChanges,
    ]
}

/// Identifies a listener for removal.
public struct ListenerID: Sendable, Hashable {
    let number: Int
}
