// The part of swift-metrics' interface that the integrations use.

public protocol CounterHandler: AnyObject, Sendable {
    func increment(by amount: Int64)
    func reset()
}

public protocol RecorderHandler: AnyObject, Sendable {
    func record(_ value: Int64)
    func record(_ value: Double)
}

public protocol TimerHandler: AnyObject, Sendable { func recordNanoseconds(_ duration: Int64) }

public protocol MetricsFactory: Sendable {
    func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler
    func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler
    func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler
    func destroyCounter(_ handler: any CounterHandler)
    func destroyRecorder(_ handler: any RecorderHandler)
    func destroyTimer(_ handler: any TimerHandler)
}

public final class Counter: Sendable {
    private let handler: any CounterHandler

    public init(label: String, dimensions: [(String, String)], handler: any CounterHandler, factory: any MetricsFactory)
    {
        self.handler = handler
    }

    public convenience init(label: String, dimensions: [(String, String)] = [], factory: any MetricsFactory) {
        let handler = factory.makeCounter(label: label, dimensions: dimensions)
        self.init(label: label, dimensions: dimensions, handler: handler, factory: factory)
    }

    public func increment<Number: BinaryInteger>(by amount: Number) { handler.increment(by: Int64(amount)) }
    public func increment() { increment(by: 1) }
}

public final class Gauge: Sendable {
    private let handler: any RecorderHandler
    private let factory: any MetricsFactory

    public init(label: String, dimensions: [(String, String)] = [], factory: any MetricsFactory) {
        self.factory = factory
        handler = factory.makeRecorder(label: label, dimensions: dimensions, aggregate: false)
    }

    public func record<Number: BinaryFloatingPoint>(_ value: Number) { handler.record(Double(value)) }
    public func destroy() { factory.destroyRecorder(handler) }
}

public enum MetricsSystem {
    public static var factory: any MetricsFactory { NOOPMetricsHandler.instance }
}

public final class NOOPMetricsHandler: MetricsFactory, CounterHandler, RecorderHandler, TimerHandler {
    public static let instance = NOOPMetricsHandler()

    public func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler { self }
    public func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
        self
    }
    public func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler { self }
    public func destroyCounter(_ handler: any CounterHandler) {}
    public func destroyRecorder(_ handler: any RecorderHandler) {}
    public func destroyTimer(_ handler: any TimerHandler) {}
    public func increment(by amount: Int64) {}
    public func reset() {}
    public func record(_ value: Int64) {}
    public func record(_ value: Double) {}
    public func recordNanoseconds(_ duration: Int64) {}
}
