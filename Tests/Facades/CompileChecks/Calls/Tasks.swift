import Foundation
import Optimizely

/// Both forms of each pair, distinguished by `await` alone.
func tasks(_ client: OptimizelyClient, _ datafile: Data) {
    if #available(macOS 10.15, iOS 13, *) {
        Task { [client] in
            do {
                try await client.start()
                try await client.start(resourceTimeout: 10)
            } catch {
                print("initialization failed: \(error)")
            }
        }
    }
    Task {
        try client.start(datafile: datafile)
        let attributes: [String: Any] = ["app_version": "1.3.2"]
        let user = client.createUserContext(userId: "ada", attributes: attributes)
        try? user.fetchQualifiedSegments()
        try user.fetchQualifiedSegments(options: [.ignoreCache, .resetCache])
        user.fetchQualifiedSegments { error in print(error as Any) }
        print(user.decide(key: "f"))
    }
    Task {
        let user = client.createUserContext(userId: "ada")
        try await user.fetchQualifiedSegments()
        try await user.fetchQualifiedSegments(options: [.resetCache])
        let one: OptimizelyDecision = await user.decideAsync(key: "f")
        let some: [String: OptimizelyDecision] = await user.decideAsync(keys: ["f"])
        let all: [String: OptimizelyDecision] = await user.decideAllAsync()
        print(one, some, all)
        _ = await user.decideAsync(key: "f", options: [.includeReasons])
        _ = await user.decideAsync(keys: ["f"], options: [.includeReasons])
        _ = await user.decideAllAsync(options: [.includeReasons])
    }
}

/// Values and clients are passed between tasks.
func crossing(_ client: OptimizelyClient) async -> [OptimizelyDecision] {
    let user = client.createUserContext(userId: "ada")
    return await withTaskGroup(of: OptimizelyDecision.self) { group in
        for key in ["f", "g"] { group.addTask { await user.decideAsync(key: key) } }
        var decisions: [OptimizelyDecision] = []
        for await decision in group { decisions.append(decision) }
        return decisions
    }
}

func isSendable<T: Sendable>(_: T.Type) {}

func sendableTypes() {
    isSendable(OptimizelyClient.self)
    isSendable(OptimizelyUserContext.self)
    isSendable(OptimizelyJSON.self)
    isSendable(OptimizelyDecision.self)
    isSendable(OptimizelySdkSettings.self)
    isSendable(CmabConfig.self)
    isSendable(OptimizelyDecideOption.self)
    isSendable(OptimizelySegmentOption.self)
    isSendable(OptimizelyLogLevel.self)
    isSendable(OptimizelyDecisionContext.self)
    isSendable(OptimizelyForcedDecision.self)
    isSendable(NotificationType.self)
    isSendable(Region.self)
}
