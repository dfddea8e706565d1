import Foundation
import Optimizely

// The vendor's page "Initialize the Swift SDK", with a key and a flag of the shop.

func startSynchronously(_ optimizely: OptimizelyClient, datafileJSON: String) {
    let user = optimizely.createUserContext(userId: "ada", attributes: ["country": "US", "orders": 12])

    // Synchronously initialize the client, then make a decision for a flag rule (such as an A/B test)
    do {
        try optimizely.start(datafile: datafileJSON)

        let decision = user.decide(key: "checkout_redesign")
        let variationKey = decision.variationKey
        print("variation: \(variationKey ?? "none")")
    } catch {
        print("errors: \(error)")
    }

    do {
        try optimizely.start(datafile: "no datafile")
    } catch {
        print(error)
    }
}

func startAsynchronously(_ optimizely: OptimizelyClient) {
    let done = DispatchSemaphore(value: 0)
    optimizely.start { result in
        switch result {
        case .failure(let error):
            print("Optimizely SDK initialization failed: \(error)")
        case .success:
            print("Optimizely SDK initialized successfully!")
        @unknown default:
            print("Optimizely SDK initialization failed with unknown result")
        }
        let user = optimizely.createUserContext(userId: "linus")
        let decision = user.decide(key: "dark_mode")
        let variationKey = decision.variationKey
        print("variation: \(variationKey ?? "none")")
        done.signal()
    }
    done.wait()
}

func startInATask(_ optimizely: OptimizelyClient) async {
    let task = Task { [optimizely] in
        do {
            try await optimizely.start()
            print("Optimizely SDK initialized successfully!")
        } catch {
            print("Optimizely SDK initiliazation failed: \(error)")
        }
    }
    await task.value
}
