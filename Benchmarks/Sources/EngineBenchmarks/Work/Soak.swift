import Foundation
import Optimizely
import TurnoutClient

/// Makes millions of decisions with each client while the datafile changes a thousand times, and compares memory use.
enum Soak {
    private static let rounds = 10
    private static let swapsPerRound = 100
    /// The bytes that the allocator may keep.
    private static let tolerance = 4e6

    /// Prints the memory after each tenth of the decisions.
    ///
    /// - Returns: Whether the last rounds use no more memory than the first.
    static func run(millions: Int) throws -> Bool {
        let decisionsPerSwap = millions * 1_000_000 / rounds / swapsPerRound
        let bytes = DatafileGenerator.datafile(flags: 10)
        let subject = try Subject(name: "soak", bytes: bytes)
        let datafiles = [bytes, changed(bytes)]
        return try isFlat("TurnoutClient", of: millions, clientRound(subject, datafiles, decisionsPerSwap))
            && isFlat("Optimizely", of: millions, facadeRound(subject, datafiles, decisionsPerSwap))
    }

    private static func isFlat(_ name: String, of millions: Int, _ round: () throws -> Void) rethrows -> Bool {
        var memory: [Double] = []
        for number in 1...rounds {
            try round()
            guard let bytes = residentBytes() else { return true }
            let decided = Double(millions * number) / Double(rounds)
            print("\(name), \(decided) million decisions: \(Metric.peakMemory.text(bytes))")
            memory.append(bytes)
        }
        // The first rounds fill bounded structures: stores and caches.
        let (early, late) = (memory[1...3].max() ?? 0, memory.suffix(3).min() ?? 0)
        return late - early <= tolerance
    }

    private static func changed(_ bytes: [UInt8]) -> [UInt8] {
        let text = String(decoding: bytes, as: UTF8.self)
        return Array(text.replacing(/"revision":"([^"]*)"/) { "\"revision\":\"\($0.output.1)1\"" }.utf8)
    }

    private static func clientRound(
        _ subject: Subject, _ datafiles: [[UInt8]], _ decisionsPerSwap: Int
    ) throws -> () throws -> Void {
        var configuration = ClientConfiguration()
        configuration.log = .silent
        configuration.profiles = .memory(users: 10_000)
        configuration.eventStore = .memory(limit: 1_000)
        let client = try FlagClient(datafile: datafiles[0], configuration)
        return {
            for swap in 0..<swapsPerRound {
                try client.update(to: datafiles[(swap + 1) % 2])
                for index in 0..<decisionsPerSwap {
                    let user = subject.users[index % subject.users.count]
                    _ = client.decide(subject.flagKeys[index % subject.flagKeys.count], for: user)
                }
            }
        }
    }

    private static func facadeRound(
        _ subject: Subject, _ datafiles: [[UInt8]], _ decisionsPerSwap: Int
    ) throws -> () throws -> Void {
        let client = OptimizelyClient(sdkKey: "soak", eventDispatcher: BottomlessDispatcher(), defaultLogLevel: .off)
        return {
            for swap in 0..<swapsPerRound {
                try client.start(datafile: Data(datafiles[swap % 2]), doFetchDatafileBackground: false)
                for index in 0..<decisionsPerSwap {
                    let person = subject.profiles[index % subject.profiles.count]
                    let user = client.createUserContext(userId: person.id, attributes: ["country": "US", "age": index])
                    _ = user.decide(key: subject.flagKeys[index % subject.flagKeys.count])
                }
                // Empties the queue of listeners, whose length depends on how the system schedules its thread.
                client.close()
            }
        }
    }
}

private final class BottomlessDispatcher: OPTEventDispatcher {
    func dispatchEvent(event: EventForDispatch, completionHandler: DispatchCompletionHandler?) {}
    func flushEvents() {}
}
