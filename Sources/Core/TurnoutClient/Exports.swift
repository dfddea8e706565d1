// Whoever decides with a client reads decisions, attributes and reasons, which the engine defines.
@_exported public import TurnoutEngine
