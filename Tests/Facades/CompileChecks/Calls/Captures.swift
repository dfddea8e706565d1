import Foundation
import Optimizely

/// Closures that assign captured variables, as existing programs do.
func assigning(_ client: OptimizelyClient, _ center: OPTNotificationCenter) {
    var user: OptimizelyUserContext?
    var decision: OptimizelyDecision?
    var decisions: [String: OptimizelyDecision] = [:]
    var received: [String] = []
    var error: OptimizelyError?
    client.start { result in
        user = client.createUserContext(userId: "ada")
        decision = user?.decide(key: "f")
    }
    user?.decideAsync(key: "f") { decision = $0 }
    user?.decideAsync(keys: ["f"]) { decisions = $0 }
    user?.decideAllAsync { decisions = $0 }
    user?.fetchQualifiedSegments { error = $0 }
    _ = center.addGenericNotificationListener(notificationType: 1) { args in received.append("\(args.count)") }
    _ = center.addActivateNotificationListener { _, userId, _, _, _ in received.append(userId) }
    _ = center.addTrackNotificationListener { key, _, _, _, _ in received.append(key) }
    _ = center.addDecisionNotificationListener { type, _, _, _ in received.append(type) }
    _ = center.addDatafileChangeNotificationListener { received.append("\($0.count)") }
    _ = center.addLogEventNotificationListener { url, _ in received.append(url) }
    client.datafileHandler?.startUpdates(sdkKey: "key") { received.append("\($0.count)") }
    client.datafileHandler?.downloadDatafile(
        sdkKey: "key", returnCacheIfNoChange: true, resourceTimeoutInterval: nil
    ) { result in received.append("\(result)") }
    print(user as Any, decision as Any, decisions, received, error as Any)
}

/// An object that is not and could not be `Sendable`.
final class Screen {
    var client: OptimizelyClient?
    var title = ""

    func open(_ client: OptimizelyClient) {
        self.client = client
        client.start { [weak self] _ in self?.title = "ready" }
        client.createUserContext(userId: "ada").decideAsync(key: "f") { self.title = $0.variationKey ?? "" }
    }
}

@MainActor final class MainScreen {
    let client = OptimizelyClient(sdkKey: "key")

    func open() async throws {
        try await client.start(resourceTimeout: 10)
        let user = client.createUserContext(userId: "ada")
        let decision = await user.decideAsync(key: "f")
        try await user.fetchQualifiedSegments()
        print(decision)
    }
}
