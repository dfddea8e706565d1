import Foundation
import Optimizely
import Synchronization
import TurnoutClient

/// A client of the vendor's interface, with a dispatcher that keeps its batches.
struct OptimizelyPrinter: EventPrinter {
    private let client: OptimizelyClient
    private let dispatcher: RecordingDispatcher

    init(_ setup: Setup) throws {
        dispatcher = RecordingDispatcher(batchSize: setup.eventsPerRequest, backingStore: .memory)
        client = OptimizelyClient(
            sdkKey: "compared", eventDispatcher: dispatcher, userProfileService: NoOpUserProfileService(),
            defaultLogLevel: .off, settings: OptimizelySdkSettings(disableOdp: true))
        try client.start(datafile: setup.datafile, doUpdateConfigOnNewDatafile: false, doFetchDatafileBackground: false)
    }

    func requests(after call: Step.Call, for user: User) async -> [SentRequest] {
        let attributes = Dictionary(uniqueKeysWithValues: user.attributes.map { ($0.name, Self.any($0.value)) })
        let context = client.createUserContext(userId: user.id, attributes: attributes)
        context.qualifiedSegments = Array(user.segments)
        for (place, variation) in user.forcedDecisions {
            _ = context.setForcedDecision(
                context: .init(flagKey: place.flag, ruleKey: place.rule), decision: .init(variationKey: variation))
        }
        make(call, for: context)
        // Custom dispatchers receive events on another thread; closing waits for them, and the client stays usable.
        client.close()
        return dispatcher.taken()
    }

    private func make(_ call: Step.Call, for user: OptimizelyUserContext) {
        switch call {
        case .decide(let flag, let options): _ = user.decide(key: flag, options: Self.options(options))
        case .decideSome(let flags, let options): _ = user.decide(keys: flags, options: Self.options(options))
        case .decideAll(let options): _ = user.decideAll(options: Self.options(options))
        // An unknown event is an error for the caller, and nothing is sent.
        case .track(let event, let tags): try? user.trackEvent(eventKey: event, eventTags: tags.mapValues(Self.any))
        }
    }

    private static func options(_ names: [String]) -> [OptimizelyDecideOption] {
        let options: KeyValuePairs<String, OptimizelyDecideOption> = [
            "disableDecisionEvent": .disableDecisionEvent, "enabledFlagsOnly": .enabledFlagsOnly,
            "ignoreUserProfileService": .ignoreUserProfileService, "includeReasons": .includeReasons,
            "excludeVariables": .excludeVariables,
        ]
        return options.filter { names.contains($0.key) }.map(\.value)
    }

    /// The value in the types of the facade.
    private static func any(_ value: AttributeValue) -> Any {
        switch value {
        case .string(let text): text
        case .integer(let number): Int(number)
        case .double(let number): number
        case .float(let number): number
        case .bool(let truth): truth
        case .array(let elements): elements.map(any)
        case .object(let members): members.mapValues(any)
        case .null, .opaque: NSNull()
        }
    }
}

/// Records batches instead of sending them.
// @unchecked Sendable because its superclass is; what it adds is under a lock.
private final class RecordingDispatcher: DefaultEventDispatcher, @unchecked Sendable {
    private let sent = Mutex<[SentRequest]>([])

    override func sendEvent(event: EventForDispatch, completionHandler: @escaping DispatchCompletionHandler) {
        let body = String(decoding: event.body, as: UTF8.self)
        sent.withLock { $0.append(SentRequest(url: event.url.absoluteString, body: body)) }
        completionHandler(.success(event.body))
    }

    /// The requests since the last call.
    func taken() -> [SentRequest] {
        sent.withLock { all in
            defer { all = [] }
            return all
        }
    }
}
