import TurnoutClient

/// The result of a function that may block, without blocking the thread of the calling task.
func blocking<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
    let result: Result<Value, any Error> = await BlockingCall.value { Result { try body() } }
    return try result.get()
}
