import Foundation

/// The metric of a figure.
enum Metric: String, Codable, Sendable {
    case cpuTime = "cpu time"
    case wallTime = "wall time"
    case allocations
    case instructions
    case residentGrowth = "resident growth"
    case peakMemory = "peak memory"
    case size
    /// The memory of a server per stored user.
    case bytesPerUser = "memory per user"
    /// The additional time of a decision compared with another.
    case addedTime = "cpu time added"
    case decisionsPerSecond = "decisions per second"
    case usersPerSecond = "users per second"
    case eventsPerSecond = "events per second"
    /// How much more processor time an operation takes on sixteen threads than on one.
    case sixteenThreads = "cpu time, 16 threads to 1"
    /// The same on two threads.
    case twoThreads = "cpu time, 2 threads to 1"
    case operationsPerSecond = "operations per second"
    case ratio
    /// The ratio of peak memory for a million users to that for a hundred thousand.
    case memoryRatio = "memory, ten times the users"

    var unit: String {
        switch self {
        case .cpuTime, .wallTime, .addedTime: "ns"
        case .allocations, .instructions: "1"
        case .residentGrowth, .peakMemory, .size, .bytesPerUser: "B"
        case .decisionsPerSecond, .usersPerSecond, .eventsPerSecond, .operationsPerSecond: "1/s"
        case .sixteenThreads, .twoThreads, .memoryRatio, .ratio: "x"
        }
    }

    /// Whether higher is better.
    var isBetterHigher: Bool {
        switch self {
        case .decisionsPerSecond, .usersPerSecond, .eventsPerSecond, .operationsPerSecond: true
        default: false
        }
    }

    /// A value with its unit.
    func text(_ value: Double) -> String {
        switch self {
        case .cpuTime, .wallTime, .addedTime:
            if value < 1_000 { return "\(format(value, 0)) ns" }
            return value < 1_000_000 ? "\(format(value / 1e3, 2)) µs" : "\(format(value / 1e6, 2)) ms"
        case .allocations: return value < 100 && value != value.rounded() ? format(value, 2) : format(value, 0)
        case .instructions: return format(value, 0)
        case .bytesPerUser: return "\(format(value, 0)) B"
        case .residentGrowth, .peakMemory, .size: return "\(format(value / 1e6, 1)) MB"
        case .decisionsPerSecond, .usersPerSecond, .eventsPerSecond, .operationsPerSecond:
            return "\(format(value, 0))/s"
        case .sixteenThreads, .twoThreads, .memoryRatio, .ratio: return "\(format(value, 2)) ×"
        }
    }

    private func format(_ value: Double, _ digits: Int) -> String {
        let digits = value < 1_000 ? digits : 0
        var text = String(format: "%.\(digits)f", value)
        guard digits == 0, text.count > 3 else { return text }
        for place in stride(from: text.count - 3, to: 0, by: -3) {
            text.insert(",", at: text.index(text.startIndex, offsetBy: place))
        }
        return text
    }
}

/// A measured value.
struct Figure: Sendable {
    let work: Work
    let datafile: String
    let scale: Subject.Scale
    let metric: Metric
    let value: Double
    /// The number of threads that do the work at once, for figures that compare them; nil for others.
    var threads: Int?
}

/// A figure in `results.json`.
struct ResultRow: Codable {
    let work: String
    let datafile: String
    let metric: String
    let value: Double
    let unit: String
    let threads: Int?

    init(_ figure: Figure) {
        work = figure.work.title
        datafile = figure.datafile
        metric = figure.metric.rawValue
        value = figure.value
        unit = figure.metric.unit
        threads = figure.threads
    }
}

/// Encodes one object per line, for readable diffs.
func encodeLines(_ rows: [some Encodable]) throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let lines = try rows.map { String(decoding: try encoder.encode($0), as: UTF8.self) }
    return Data("[\n\(lines.joined(separator: ",\n"))\n]\n".utf8)
}
