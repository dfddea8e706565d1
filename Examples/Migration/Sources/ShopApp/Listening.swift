import Foundation
import Optimizely

/// The calls of listeners, in order.
class Heard {
    private var lines = [String]()
    private let lock = DispatchQueue(label: "heard")

    func add(_ line: String) { lock.sync { lines.append(line) } }
    func print() { lock.sync { lines.forEach { Swift.print($0) } } }
}

let heard = Heard()

func addListeners(to optimizely: OptimizelyClient) {
    let notificationCenter = optimizely.notificationCenter
    _ = notificationCenter?.addDecisionNotificationListener(
        decisionListener: { type, userId, attributes, decisionInfo in
            let (flag, variation) = (decisionInfo["flagKey"] ?? "", decisionInfo["variationKey"] ?? "")
            heard.add("decision \(type), \(userId): \(flag) \(variation)")
        })
    _ = notificationCenter?.addTrackNotificationListener(
        trackListener: { eventKey, userId, attributes, eventTags, event in
            heard.add("track \(eventKey), \(userId): \((eventTags ?? [:]).keys.sorted())")
        })
    _ = notificationCenter?.addActivateNotificationListener(
        activateListener: { experiment, userId, attributes, variation, event in
            heard.add("activate \(experiment["key"] ?? ""), \(userId): \(variation["key"] ?? "")")
        })
    _ = notificationCenter?.addDatafileChangeNotificationListener(
        datafileListener: { datafile in heard.add("a datafile of \(datafile.count) bytes") })
}

func section(_ title: String) { print("\n\(title)\n") }
