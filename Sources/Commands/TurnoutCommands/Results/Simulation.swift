import LibC
import TurnoutClient
package import TurnoutEngine

/// Visitors who see flags and convert, as payloads of events that clients would have sent. The same simulation always
/// gives the same bytes, so a server counts it once, however often it is sent.
package struct Simulation: Sendable {
    package var project: Project
    package var population: Population
    package var seed: UInt64 = 1
    /// The days before ``end`` over which first exposures are spread evenly.
    package var days = 14
    /// The end of the last day, in milliseconds since 1970.
    package var end: Int64
    /// The event of a conversion, and the share of visitors who convert without any effect.
    package var event: Event
    package var baseRate = 0.1
    /// The mean of the revenue of a conversion in cents; nil for conversions without revenue.
    package var revenue: Double?
    /// By variation, `big` or `checkout/big`: the relative change of the share, 0.05 for five percent more.
    package var effects: [String: Double] = [:]

    package init(_ project: Project, _ population: Population, event: Event, end: Int64) {
        (self.project, self.population, self.event, self.end) = (project, population, event, end)
    }

    private static let day: Double = 86_400_000

    /// The payload of the visitors with these numbers, counted from 1.
    package func payload(_ numbers: ClosedRange<Int>) -> [UInt8] {
        let encoder = EventEncoder(
            project: project, clientName: "turnout-simulate", clientVersion: LibraryVersion.current)
        var writer = JSONWriter()
        writer.raw(encoder.envelope)
        var isFirst = true
        for number in numbers {
            events(of: number) { write in
                if !isFirst { writer.append(",") }
                isFirst = false
                write(encoder, &writer)
            }
        }
        writer.append("]}")
        return writer.bytes
    }

    private typealias Writing = (EventEncoder, inout JSONWriter) -> Void

    /// The events of one visitor: an exposure, a second one for every third visitor, and perhaps a conversion.
    private func events(of number: Int, _ add: (Writing) -> Void) {
        var random = RandomNumbers(seed: seed, stream: UInt64(number))
        let user = User("simulated-\(seed)-\(number)", attributes: population.user(number).attributes)
        let first = Double(end) - random.fraction() * Double(days) * Self.day
        let batch = project.decideAll(for: user)
        let isBack = random.index(below: 3) == 0
        let times = [first] + (isBack ? [first + random.fraction() * (Double(end) - first)] : [])
        for time in times {
            for impression in batch.selected.compactMap(\.impression) {
                let stamp = stamp(at: time, &random)
                add { $0.writeVisitor(impression, of: user, stamp: stamp, to: &$1) }
            }
        }
        guard random.fraction() < rate(of: batch.selected) else { return }
        let stamp = stamp(at: first + random.fraction() * min(Self.day, Double(end) - first), &random)
        let conversion = Conversion(event, tags: tags(&random))
        add { $0.writeVisitor(conversion, of: user, stamp: stamp, to: &$1) }
    }

    private func rate(of decisions: [Decision]) -> Double {
        decisions.reduce(baseRate) { rate, decision in
            guard let variation = decision.variationKey else { return rate }
            let effect = effects["\(decision.flagKey)/\(variation)"] ?? effects[variation] ?? 0
            return rate * (1 + effect)
        }
    }

    /// An exponential distribution, as of the values of shopping carts, in whole cents.
    private func tags(_ random: inout RandomNumbers) -> [String: AttributeValue] {
        guard let revenue else { return [:] }
        return ["revenue": .integer(Int64(-revenue * log(1 - random.fraction())))]
    }

    private func stamp(at time: Double, _ random: inout RandomNumbers) -> EventStamp {
        EventStamp(timestamp: Int64(time), uuid: EventID(random.next(), random.next()))
    }
}
