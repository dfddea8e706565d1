import Foundation

/// Measures everything and writes `RESULTS.md` and `results.json`.
enum FullReport {
    static func write() throws {
        var figures: [Figure] = []
        func add(_ figure: Figure) {
            let value = figure.metric.text(figure.value)
            print("\(figure.work.title), \(figure.datafile), \(figure.metric.rawValue): \(value)")
            figures.append(figure)
        }
        let subjects = try Subject.generatedSizes.map { try Subject.generated(flags: $0) } + Subject.given()
        for subject in subjects {
            print("\(subject.name): \(subject.flagKeys.count) flags, \(subject.bytes.count) bytes")
            try measure(subject, add)
        }
        try measureCommand(add)
        try measureImpact(add)
        try measureStart(add)
        try measureStores(add)
        try measureThreads(.named(CommandRuns.subjectName), add: add)
        figures = Work.allCases.flatMap { work in figures.filter { $0.work == work } }
        try encodeLines(figures.map { ResultRow($0) }).write(to: URL(filePath: "Benchmarks/results.json"))
        let findings = try? String(contentsOfFile: "Benchmarks/FINDINGS.md", encoding: .utf8)
        let page = MarkdownReport(
            figures: figures, machine: machineDescription(),
            findings: findings?.trimmingCharacters(in: .whitespacesAndNewlines)
        ).text
        try Data(page.utf8).write(to: URL(filePath: "Benchmarks/RESULTS.md"))
    }

    /// Prints times for one datafile, for work on them.
    static func time(_ subject: Subject) throws {
        func show(_ work: Work, _ metric: Metric, _ value: Double) { print("\(work.title): \(metric.text(value))") }
        for work in Work.repeatable {
            guard let body = work.repeated(on: subject) else { continue }
            show(work, .cpuTime, Stopwatch.nanoseconds(per: body))
        }
        if let typed = TypedAccess(subject) {
            show(.clientValue, .addedTime, typed.nanosecondsAdded(by: typed.value))
            show(.clientTyped, .addedTime, typed.nanosecondsAdded(by: typed.generated))
        }
    }

    /// Prints the cost of works on several threads, for work on it.
    static func threads(_ subject: Subject, _ works: [Work]) throws {
        try measureThreads(subject, works) { figure in
            let threads = figure.threads.map { ", \($0) threads" } ?? ""
            print("\(figure.work.rawValue), \(figure.metric.rawValue)\(threads): \(figure.metric.text(figure.value))")
        }
    }

    /// Prints the costs of storing events and of starting, for work on them.
    static func events() throws {
        func show(_ work: Work, _ metric: Metric, _ value: Double) { print("\(work.title): \(metric.text(value))") }
        try measureDurableEvents(.named(CommandRuns.subjectName), show)
        try measureStart { show($0.work, $0.metric, $0.value) }
    }

    private static func measure(_ subject: Subject, _ add: (Figure) -> Void) throws {
        func figure(_ work: Work, _ metric: Metric, _ value: Double) {
            add(Figure(work: work, datafile: subject.name, scale: subject.scale, metric: metric, value: value))
        }
        for work in Work.repeatable {
            guard let body = work.repeated(on: subject) else { continue }
            figure(work, .cpuTime, work == .load ? subject.nanosecondsPerLoad() : Stopwatch.nanoseconds(per: body))
        }
        if let typed = TypedAccess(subject) {
            figure(.clientValue, .addedTime, typed.nanosecondsAdded(by: typed.value))
            figure(.clientTyped, .addedTime, typed.nanosecondsAdded(by: typed.generated))
        }
        let counted = try Count.instructions(of: InstructionCounter.works, on: subject)
        for count in Count.allocations(on: subject) + counted {
            figure(count.work, count.metric, count.value)
        }
        let loads = try ColdLoad.measureInChildren(subject)
        figure(.coldLoad, .cpuTime, median(loads.map(\.nanoseconds)))
        let growth = loads.compactMap(\.residentGrowth)
        if !growth.isEmpty { figure(.coldLoad, .residentGrowth, median(growth)) }
        if subject.name == CommandRuns.subjectName { try measureDurableEvents(subject, figure) }
    }

    /// With one datafile: the cost of SQLite does not depend on it.
    private static func measureDurableEvents(
        _ subject: Subject, _ figure: (Work, Metric, Double) -> Void
    ) throws {
        guard let events = try DurableEvents(subject) else { return }
        if let time = try events.nanosecondsToDecide() { figure(.durableEvent, .cpuTime, time) }
        figure(.acceptedEvents, .eventsPerSecond, try events.acceptedPerSecond())
        figure(.awaitedEvents, .eventsPerSecond, try events.acceptedPerSecondWaiting(atATime: 1))
        figure(.awaitedBatches, .eventsPerSecond, try events.acceptedPerSecondWaiting(atATime: 10))
        figure(.awaitedByTasks, .eventsPerSecond, try events.acceptedPerSecond(byTasks: 1_000, each: 200))
        figure(.awaitedByTask, .eventsPerSecond, try events.acceptedPerSecond(byTasks: 1, each: 5_000))
        figure(.waitingEvents, .ratio, try events.costOfWaiting())
    }

    private static func measureStart(_ add: (Figure) -> Void) throws {
        let subject = try Subject.generated(flags: 100)
        add(
            Figure(
                work: .facadeSize, datafile: subject.name, scale: subject.scale, metric: .size,
                value: try ProgramSize.strippedBytes()))
        guard let time = try StartRuns(subject).nanosecondsToFirstDecision() else { return }
        add(
            Figure(
                work: .startWithNetwork, datafile: subject.name, scale: subject.scale, metric: .wallTime, value: time))
    }

    /// With one datafile: threads share the same objects with each.
    private static func measureThreads(
        _ subject: Subject, _ works: [Work] = Work.allCases, add: (Figure) -> Void
    ) throws {
        for work in works {
            guard let costs = ThreadRuns(work, on: subject)?.costs(), let one = costs[1] else { continue }
            func figure(_ metric: Metric, _ value: Double, threads: Int? = nil) {
                add(
                    Figure(
                        work: work, datafile: subject.name, scale: subject.scale, metric: metric, value: value,
                        threads: threads))
            }
            for threads in ThreadRuns.threadCounts {
                guard let cost = costs[threads] else { continue }
                figure(.cpuTime, cost.nanoseconds, threads: threads)
                figure(.operationsPerSecond, cost.rate, threads: threads)
            }
            if let two = costs[2] { figure(.twoThreads, two.nanoseconds / one.nanoseconds) }
            if let sixteen = costs[16] { figure(.sixteenThreads, sixteen.nanoseconds / one.nanoseconds) }
        }
    }

    private static func measureCommand(_ add: (Figure) -> Void) throws {
        guard let command = try CommandRuns() else {
            print("There is no turnout to measure: build it in release, or name it by TURNOUT.")
            return
        }
        func figure(_ work: Work, _ metric: Metric, _ value: Double) {
            add(Figure(work: work, datafile: CommandRuns.subjectName, scale: .small, metric: metric, value: value))
        }
        figure(.startCommand, .wallTime, try command.nanosecondsToFirstDecision())
        let few = try command.throughput(users: 100_000)
        let many = try command.throughput(users: 1_000_000)
        figure(.commandUsers, .decisionsPerSecond, many.decisionsPerSecond)
        figure(.commandUsers, .cpuTime, many.nanosecondsPerDecision)
        guard let peak = many.peakBytes, let base = few.peakBytes else { return }
        figure(.commandUsers, .peakMemory, peak)
        figure(.commandUsers, .memoryRatio, peak / base)
    }

    /// Prints what comparing the decisions of a generated population costs, for work on it.
    static func impact() throws {
        try measureImpact { print("\($0.work.title), \($0.metric.rawValue): \($0.metric.text($0.value))") }
    }

    private static func measureImpact(_ add: (Figure) -> Void) throws {
        guard let impact = try ImpactRuns() else { return }
        func figure(_ metric: Metric, _ value: Double) {
            add(
                Figure(
                    work: .commandImpact, datafile: ImpactRuns.subjectName, scale: .small, metric: metric, value: value
                ))
        }
        figure(.usersPerSecond, try impact.usersPerSecond(of: 10_000_000))
        guard let peak = try impact.peakBytes(users: 1_000_000), let base = try impact.peakBytes(users: 100_000) else {
            return
        }
        figure(.peakMemory, peak)
        figure(.memoryRatio, peak / base)
    }
}
