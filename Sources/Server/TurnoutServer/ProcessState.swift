// The state that all servers of a process share.

extension TraceContext {
    /// The trace of the request that the current task answers, for requests that it sends in turn. Task-local, because
    /// transports are shared by all requests and their protocol knows nothing of traces.
    @TaskLocal static var current: TraceContext?
}
