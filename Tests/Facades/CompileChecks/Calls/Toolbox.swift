import Foundation
import Optimizely

func listening(_ client: OptimizelyClient) {
    let center: OPTNotificationCenter = DefaultNotificationCenter()
    let ids: [Int?] = [
        center.addGenericNotificationListener(notificationType: NotificationType.decision.rawValue) { (args) in
            print(args.count)
        },
        center.addActivateNotificationListener(activateListener: { experiment, userId, attributes, variation, event in
            print(experiment, userId, attributes as Any, variation, event)
        }),
        center.addTrackNotificationListener(trackListener: { key, userId, attributes, tags, event in
            print(key, userId, attributes as Any, tags as Any, event)
        }),
        center.addDecisionNotificationListener(decisionListener: { type, userId, attributes, info in
            print(type, userId, attributes as Any, info)
        }),
        center.addDatafileChangeNotificationListener(datafileListener: { (data) in print(data) }),
        center.addLogEventNotificationListener(logEventListener: { url, event in print(url, event) }),
    ]
    for case let id? in ids { center.removeNotificationListener(notificationId: id) }
    center.clearNotificationListeners(type: .decision)
    center.clearAllNotificationListeners()
    center.sendNotifications(type: NotificationType.track.rawValue, args: ["bought", nil])
    let standard = DefaultNotificationCenter()
    standard.notificationId = standard.notificationId + 1
    _ = standard.addDecisionNotificationListener { _, _, _, _ in }
    _ = client.notificationCenter?.addDatafileChangeNotificationListener { _ in
        print((try? client.getOptimizelyConfig())?.revision ?? "")
    }
}

func stores(
    _ memory: DataStoreMemory<[Data]>, _ defaults: DataStoreUserDefaults, _ queue: DataStoreQueueStackImpl<String>
) throws {
    let file = DataStoreFile<[String]>(storeName: "names")
    _ = DataStoreFile<Data>(storeName: "bytes", async: false)
    for store in [file, memory, defaults] as [OPTDataStore] {
        store.saveItem(forKey: "names", value: ["ada"])
        print(store.getItem(forKey: "names") as? [String] ?? [])
        store.removeItem(forKey: "names")
    }
    try file.writeData(try file.readData())
    memory.load(forKey: "names")
    queue.save(item: "ada")
    print(file.url, queue.count, queue.getFirstItems() ?? [], queue.getLastItems() ?? [])
    print(queue.removeFirstItems() ?? [], queue.removeLastItems(count: 2) ?? [], queue.removeFirstItems(count: 2) ?? [])
    print(queue.getFirstItems(count: 2) ?? [], queue.getLastItems(count: 2) ?? [], queue.removeLastItems() ?? [])
}

func hashing(_ bytes: [UInt8], _ characters: [CChar]) {
    let short: [UInt32] = [
        MurmurHash3.hash32(key: "ada"), MurmurHash3.hash32(key: "ada", seed: 1),
        MurmurHash3.hash32Bytes(key: bytes, maxBytes: bytes.count),
        MurmurHash3.hash32Bytes(key: bytes, maxBytes: bytes.count, seed: 1),
        MurmurHash3.hash32CChar(key: characters, maxBytes: 3),
        MurmurHash3.hash32CChar(key: characters, maxBytes: 3, seed: 1),
        MurmurHash3.doHash32(key: bytes, maxBytes: 3), MurmurHash3.doHash32(key: bytes, maxBytes: 3, seed: 1),
    ]
    let long: [(h1: UInt64, h2: UInt64)] = [
        MurmurHash3.hash128(key: "ada"), MurmurHash3.hash128(key: "ada", seed: 1),
        MurmurHash3.hash128Bytes(key: bytes, maxBytes: bytes.count),
        MurmurHash3.hash128Bytes(key: bytes, maxBytes: bytes.count, seed: 1),
        MurmurHash3.hash128CChar(key: characters, maxBytes: 3),
        MurmurHash3.hash128CChar(key: characters, maxBytes: 3, seed: 1),
        MurmurHash3.doHash128(key: bytes, maxBytes: 3), MurmurHash3.doHash128(key: bytes, maxBytes: 3, seed: 1),
    ]
    print(short, long.map(\.h1), long.map(\.h2))
}
