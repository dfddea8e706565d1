import Foundation

/// Compares counts with those recorded in the repository.
enum Gate {
    private static let file = URL(filePath: "Benchmarks/counts.json")

    static func record() throws {
        let counts = try Count.measureAll()
        guard counts.contains(where: { $0.metric == .instructions }) else {
            throw ChildProcess.Failure(description: "Instructions cannot be counted: install valgrind.")
        }
        try encodeLines(counts).write(to: file)
        for count in counts { print(line(count, recorded: nil)) }
    }

    /// Prints recorded and current counts.
    ///
    /// - Returns: Whether no count has become worse.
    static func check() throws -> Bool {
        let recorded = try JSONDecoder().decode([Count].self, from: Data(contentsOf: file))
        let counts = try Count.measureAll()
        var failures = 0
        for count in counts {
            let before = recorded.first { $0.isSameWork(as: count) }
            print(line(count, recorded: before))
            if before.map({ count.isWorse(than: $0) }) ?? true { failures += 1 }
        }
        let missing = recorded.filter { old in !counts.contains { $0.isSameWork(as: old) } }
        if missing.contains(where: { $0.metric == .instructions }), InstructionCounter() == nil {
            print("Instructions were not counted: valgrind is not installed.")
        }
        let lost = missing.filter { $0.metric != .instructions || InstructionCounter() != nil }
        for old in lost { print("\(old.work.rawValue), \(old.datafile), \(old.metric.rawValue): no longer measured") }
        failures += lost.count
        if failures > 0 { print("\(failures) counts failed. If that is meant, run Scripts/bench --record.") }
        return failures == 0
    }

    private static func line(_ count: Count, recorded: Count?) -> String {
        let work = count.work.rawValue.padding(toLength: 12, withPad: " ", startingAt: 0)
        let datafile = count.datafile.padding(toLength: 16, withPad: " ", startingAt: 0)
        let metric = count.metric.rawValue.padding(toLength: 14, withPad: " ", startingAt: 0)
        let value = count.metric.text(count.value)
        guard let recorded else { return "\(work)\(datafile)\(metric)\(value)" }
        let verdict = count.isWorse(than: recorded) ? "WORSE" : "ok"
        return "\(work)\(datafile)\(metric)\(value), recorded \(count.metric.text(recorded.value)): \(verdict)"
    }
}
