import Foundation
import Optimizely

func settings() {
    _ = OptimizelySdkSettings()
    _ = OptimizelySdkSettings(
        segmentsCacheSize: 100, segmentsCacheTimeoutInSecs: 600, timeoutForSegmentFetchInSecs: 10,
        timeoutForOdpEventInSecs: 10, disableOdp: false)
    _ = OptimizelySdkSettings(
        segmentsCacheSize: 100, segmentsCacheTimeoutInSecs: 600, timeoutForSegmentFetchInSecs: 10,
        timeoutForOdpEventInSecs: 10, disableOdp: false, enableVuid: true, sdkName: "app", sdkVersion: "1.0")
    _ = CmabConfig()
    _ = CmabConfig(cacheSize: 10, cacheTimeoutInSecs: 60, predictionEndpoint: "https://example.com/%@")
}

func events(_ body: Data, _ url: URL) throws {
    let plain = EventForDispatch(body: body)
    let european = EventForDispatch(body: body, region: .EU)
    let elsewhere = EventForDispatch(url: url, body: body, region: .US)
    let object: NSObject = plain
    let copy = try JSONDecoder().decode(EventForDispatch.self, from: JSONEncoder().encode(elsewhere))
    print(copy == elsewhere, plain.isEqual(european), object.description, plain.url as URL, plain.body as Data)
    print(EventForDispatch.eventEndpoint, EventForDispatch.euEventEndpoint)
    EventForDispatch.eventEndpoint = "https://example.com/events"
    EventForDispatch.euEventEndpoint = "https://eu.example.com/events"
}

func listing(_ client: OptimizelyClient) throws {
    let config: OptimizelyConfig = try client.getOptimizelyConfig()
    print(config.environmentKey, config.sdkKey, config.revision)
    let experiments: [String: OptimizelyExperiment] = config.experimentsMap
    let features: [String: OptimizelyFeature] = config.featuresMap
    let attributes: [OptimizelyAttribute] = config.attributes
    let audiences: [OptimizelyAudience] = config.audiences
    let events: [OptimizelyEvent] = config.events
    print(attributes.map { $0.id + $0.key }, audiences.map { $0.id + $0.name + $0.conditions })
    print(events.map { $0.id + $0.key + $0.experimentIds.joined() })
    for (key, experiment) in experiments {
        let variations: [String: OptimizelyVariation] = experiment.variationsMap
        print(key, experiment.id, experiment.key, experiment.audiences)
        for variation in variations.values {
            print(variation.id, variation.key, variation.featureEnabled as Bool? as Any)
            variation.variablesMap.values.forEach { (variable: OptimizelyVariable) in
                print(variable.id, variable.key, variable.type, variable.value)
            }
        }
    }
    for feature in features.values {
        let rules: [OptimizelyExperiment] = feature.experimentRules + feature.deliveryRules
        let variables: [String: OptimizelyVariable] = feature.variablesMap
        print(feature.id, feature.key, rules.map(\.key), variables.keys)
    }
}

@available(*, deprecated)
func oldListing(_ feature: OptimizelyFeature) {
    let experiments: [String: OptimizelyExperiment] = feature.experimentsMap
    print(experiments.keys)
}

struct Listing: OptimizelyConfig {
    var environmentKey = ""
    var sdkKey = ""
    var revision = ""
    var experimentsMap: [String: OptimizelyExperiment] = ["e": Entry()]
    var featuresMap: [String: OptimizelyFeature] = ["f": Entry()]
    var attributes: [OptimizelyAttribute] = [Entry()]
    var audiences: [OptimizelyAudience] = [Group()]
    var events: [OptimizelyEvent] = [Entry()]
}

struct Entry: OptimizelyExperiment, OptimizelyFeature, OptimizelyVariation, OptimizelyVariable, OptimizelyAttribute,
    OptimizelyEvent
{
    var id = ""
    var key = ""
    var audiences = ""
    var variationsMap: [String: OptimizelyVariation] = [:]
    var experimentRules: [OptimizelyExperiment] = []
    var deliveryRules: [OptimizelyExperiment] = []
    var variablesMap: [String: OptimizelyVariable] = [:]
    var experimentsMap: [String: OptimizelyExperiment] = [:]
    var featureEnabled: Bool?
    var type = ""
    var value = ""
    var experimentIds: [String] = []
}

struct Group: OptimizelyAudience {
    var id = ""
    var name = ""
    var conditions = ""
}
