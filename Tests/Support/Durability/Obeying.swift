import TurnoutClient
import TurnoutSQLite

/// Executes commands line by line, with one line of output for each, for scripts that change the disk meanwhile.
struct Obeying {
    private let storage: SQLiteStorage
    private let client: FlagClient
    private let name: String

    init(_ arguments: [String]) throws {
        storage = SQLiteStorage.open(directory: arguments[0], .durable)
        client = try FlagClient(datafile: contents(of: arguments[2]), .wire(storage, to: arguments[1]))
        name = arguments[0]
    }

    func run() throws {
        var number = 0
        while let line = readLine() {
            let words = line.split(separator: " ").map(String.init)
            let count = words.count > 1 ? Int(words[1]) ?? 0 : 0
            switch words.first {
            case "track":
                say(track(number..<number + count))
                number += count
            case "decide":
                say(decide(number..<number + count))
                number += count
            case "count": say("\(storage.events.count)")
            case "durable": say("\(storage.isDurable)")
            case "synchronize":
                do {
                    try storage.synchronize()
                    say("done")
                } catch { say("\(error)") }
            default: say("what is that: \(line)")
            }
        }
    }

    /// The number of events in the file, in memory only, and lost.
    private func track(_ numbers: Range<Int>) -> String {
        var (durable, kept, lost) = (0, 0, 0)
        for number in numbers {
            do throws(TrackError) {
                try client.track("purchase", for: User("\(name)-\(number)"))
                durable += 1
            } catch {
                if error == .notDurable { kept += 1 } else { lost += 1 }
            }
        }
        return "\(durable) \(kept) \(lost)"
    }

    /// The number of decisions with a variation, and with an impression.
    private func decide(_ numbers: Range<Int>) -> String {
        var (varied, impressions) = (0, 0)
        for number in numbers {
            let decision = client.decide("dark_mode", for: User("\(name)-\(number)"))
            if decision.variation != nil { varied += 1 }
            if decision.impression != nil { impressions += 1 }
        }
        return "\(varied) \(impressions)"
    }
}
