// What the tests of this module use.
@_exported import TestSupport
@_exported import TurnoutMemcached
