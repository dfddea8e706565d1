import Foundation
import Optimizely

/// Each call with its required arguments, and with all arguments.
final class ClientCalls {
    let client: OptimizelyClient

    init(
        _ logger: OPTLogger, _ dispatcher: OPTEventDispatcher, _ handler: OPTDatafileHandler,
        _ profiles: OPTUserProfileService, _ odp: OdpManager
    ) {
        _ = OptimizelyClient(sdkKey: "key")
        _ = OptimizelyClient(sdkKey: "key", periodicDownloadInterval: 5 * 60)
        _ = OptimizelyClient(sdkKey: "key", periodicDownloadInterval: nil)
        _ = OptimizelyClient(sdkKey: "key", logger: logger, eventDispatcher: dispatcher)
        _ = OptimizelyClient(sdkKey: "key", settings: OptimizelySdkSettings(disableOdp: true))
        _ = OptimizelyClient(
            sdkKey: "key", logger: logger, eventDispatcher: dispatcher, datafileHandler: handler,
            userProfileService: profiles, odpManager: odp, defaultLogLevel: .debug,
            defaultDecideOptions: [.includeReasons], settings: OptimizelySdkSettings(), cmabConfig: CmabConfig())
        client = OptimizelyClient(
            sdkKey: "key", logger: logger, eventDispatcher: dispatcher, datafileHandler: handler,
            userProfileService: profiles, odpManager: odp, periodicDownloadInterval: 60, defaultLogLevel: .debug,
            defaultDecideOptions: [.includeReasons], settings: OptimizelySdkSettings(), cmabConfig: CmabConfig())
    }

    func properties(_ other: OptimizelyClient) {
        let object: NSObject = client
        print(client.version, client.vuid ?? "no device", client == other, object.hash)
        client.vuid = nil
        client.datafileHandler?.stopAllUpdates()
        client.datafileHandler = nil
        client.notificationCenter?.clearAllNotificationListeners()
        client.notificationCenter = DefaultNotificationCenter()
        client.odpManager = other.odpManager
        let odp: OdpManager = client.odpManager
        print(odp)
    }

    func starting(_ text: String, _ data: Data) throws {
        try client.start(datafile: text)
        try client.start(datafile: data)
        try client.start(datafile: data, doUpdateConfigOnNewDatafile: true)
        try client.start(datafile: data, doFetchDatafileBackground: false)
        try client.start(datafile: data, doUpdateConfigOnNewDatafile: true, doFetchDatafileBackground: false)
        try client.start(datafile: text, doUpdateConfigOnNewDatafile: true)
        let start: (String) throws -> Void = client.start(datafile:)
        try start(text)
        client.start()
        client.start(resourceTimeout: 10)
        client.start(completion: nil)
        client.start { print($0) }
        client.start { _ in }
        client.start { result in print(result) }
        client.start(resourceTimeout: 10) { result in if case .success = result { print("started") } }
        client.start(resourceTimeout: nil, completion: { (result: OptimizelyResult<Data>) in print(result) })
    }

    func experiments(_ attributes: OptimizelyAttributes?) throws {
        let plain: [String: Any] = ["plan": "gold"]
        var key: String = try client.activate(experimentKey: "e", userId: "ada")
        key = try client.activate(experimentKey: "e", userId: "ada", attributes: attributes)
        key = try client.activate(experimentKey: "e", userId: "ada", attributes: ["plan": "gold", "age": nil])
        key = try client.activate(experimentKey: "e", userId: "ada", attributes: plain)
        key = try client.getVariationKey(experimentKey: "e", userId: "ada")
        key = try client.getVariationKey(experimentKey: "e", userId: "ada", attributes: attributes)
        let forced: String? = client.getForcedVariation(experimentKey: "e", userId: "ada")
        let isSet: Bool = client.setForcedVariation(experimentKey: "e", userId: "ada", variationKey: nil)
        _ = client.setForcedVariation(experimentKey: "e", userId: "ada", variationKey: "v")
        try client.track(eventKey: "bought", userId: "ada")
        try client.track(eventKey: "bought", userId: "ada", attributes: attributes)
        try client.track(eventKey: "bought", userId: "ada", eventTags: ["value": 12.99])
        try client.track(eventKey: "bought", userId: "ada", attributes: attributes, eventTags: ["revenue": 1299])
        print(key, forced as Any, isSet)
    }

    func features(_ attributes: OptimizelyAttributes?) throws {
        let on: [Bool] = [
            client.isFeatureEnabled(featureKey: "f", userId: "ada"),
            client.isFeatureEnabled(featureKey: "f", userId: "ada", attributes: attributes),
            try client.getFeatureVariableBoolean(featureKey: "f", variableKey: "v", userId: "ada"),
            try client.getFeatureVariableBoolean(
                featureKey: "f", variableKey: "v", userId: "ada", attributes: attributes),
        ]
        let keys: [[String]] = [
            client.getEnabledFeatures(userId: "ada"), client.getEnabledFeatures(userId: "ada", attributes: attributes),
        ]
        let price: Double = try client.getFeatureVariableDouble(featureKey: "f", variableKey: "v", userId: "ada")
        let count: Int = try client.getFeatureVariableInteger(featureKey: "f", variableKey: "v", userId: "ada")
        let text: String = try client.getFeatureVariableString(featureKey: "f", variableKey: "v", userId: "ada")
        let json: OptimizelyJSON = try client.getFeatureVariableJSON(featureKey: "f", variableKey: "v", userId: "ada")
        let all: OptimizelyJSON = try client.getAllFeatureVariables(featureKey: "f", userId: "ada")
        print(on, keys, price, count, text, json, all)
        _ = try client.getFeatureVariableDouble(
            featureKey: "f", variableKey: "v", userId: "ada", attributes: attributes)
        _ = try client.getFeatureVariableInteger(
            featureKey: "f", variableKey: "v", userId: "ada", attributes: attributes)
        _ = try client.getFeatureVariableString(
            featureKey: "f", variableKey: "v", userId: "ada", attributes: attributes)
        _ = try client.getFeatureVariableJSON(featureKey: "f", variableKey: "v", userId: "ada", attributes: attributes)
        _ = try client.getAllFeatureVariables(featureKey: "f", userId: "ada", attributes: attributes)
    }

    func contexts() throws {
        var user: OptimizelyUserContext = client.createUserContext(userId: "ada")
        user = client.createUserContext(userId: "ada", attributes: ["plan": "gold"])
        let device: OptimizelyUserContext? = client.createUserContext()
        let described: OptimizelyUserContext? = client.createUserContext(attributes: ["plan": "gold"])
        print(user, device as Any, described as Any)
        try client.sendOdpEvent(action: "opened")
        try client.sendOdpEvent(
            type: "app", action: "opened", identifiers: ["email": "a@b.c"], data: ["n": 1, "x": nil])
        client.close()
    }
}
