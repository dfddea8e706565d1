// Programs that use a client also need decisions, attributes and reasons from the engine.
@_exported public import TurnoutEngine
