/// A log message about the delivery of events. Contains no personal data or secrets: of an address only the host.
package enum DeliveryReport: Sendable, Equatable {
    case delivered(Int)
    case attemptFailed(events: Int, attempt: Int, cause: String, pause: Duration)
    case misconfigured(address: String, status: Int, pause: Duration)
    case badAddress(address: String, cause: String)
    case refused(Int, status: Int)
    case rejected(Int, address: String)
    case refusesEverything(address: String, status: Int, times: Int, pause: Duration)
    case acceptedAgain(address: String)

    /// The status to report as a misconfiguration, or nil.
    var misconfiguration: Int? {
        switch self {
        case .misconfigured(_, let status, _): status
        case .refusesEverything(_, let status, 1, _): status
        case .badAddress: 0
        default: nil
        }
    }

    var level: LogLevel {
        switch self {
        case .delivered, .refused: .debug
        case .attemptFailed: .warning
        case .acceptedAgain: .info
        case .misconfigured, .badAddress, .rejected, .refusesEverything: .error
        }
    }
}

extension DeliveryReport: CustomStringConvertible {
    package var description: String {
        switch self {
        case .delivered(let count): "\(events(count)) delivered"
        case .attemptFailed(let count, let attempt, let cause, let pause):
            "\(events(count)): delivery attempt \(attempt) failed: \(cause); "
                + "next attempt in \(pause.roundedLogText)"
        case .misconfigured(let address, let status, let pause):
            "\(Self.host(of: address)) does not accept events: status \(status), \(Self.meaning(of: status)). "
                + "Its events stay queued; next attempt in \(pause.roundedLogText). Check the address of "
                + "the receiver and the "
                + "project's keys"
        case .badAddress(let address, let cause):
            "events for \(Self.host(of: address)) cannot be sent: \(cause). They stay queued and are not tried again "
                + "before the next flush or start; correct the address"
        case .refused(let count, let status): "\(events(count)) refused with status \(status)"
        case .rejected(let count, let address):
            "\(Self.host(of: address)) refuses \(events(count)) and accepts others: "
                + "\(count == 1 ? "it is" : "they are") set aside and will not be sent again"
        case .refusesEverything(let address, let status, let times, let pause):
            "\(Self.host(of: address)) refused single events and accepted none: status \(status)"
                + "\(times > 1 ? ", \(times) times in a row" : ""). The receiver is probably at fault. All events "
                + "stay queued; next attempt in \(pause.roundedLogText)"
        case .acceptedAgain(let address): "\(Self.host(of: address)) accepts events again"
        }
    }

    private func events(_ count: Int) -> String { count == 1 ? "1 event" : "\(count) events" }

    /// The host of an address, without user name, path and parameters.
    static func host(of address: String) -> String {
        let rest = address.split(separator: "://", maxSplits: 1, omittingEmptySubsequences: false).last ?? ""
        let authority = rest.prefix { !"/?#".contains($0) }
        let host = authority.split(separator: "@", omittingEmptySubsequences: false).last ?? ""
        return host.isEmpty ? "an address without a host" : String(host)
    }

    private static func meaning(of status: Int) -> String {
        switch status {
        case 300..<400: "a redirect, which is not followed"
        case 401, 403: "the key or the project is not accepted"
        case 404, 410: "there is no receiver of events at this address"
        case 405: "the address does not take events"
        case 407: "a proxy asks for credentials"
        case 421: "the server is not responsible for this host"
        case 451: "access is blocked for legal reasons"
        default: "the whole request was refused"
        }
    }
}
