// What the tests of this module use.
@_exported import LoopbackServer
@_exported import TestSupport
