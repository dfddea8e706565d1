import TurnoutURLSession

extension World {
    /// The machine's network and files. The only place that knows which they are.
    static var outside: World {
        var world = World()
        world.transport = .urlSession
        return world
    }
}
