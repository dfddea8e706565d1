// What the tests of this module use.
@_exported import Foundation
@_exported import LoopbackServer
@_exported import Optimizely
@_exported import TestSupport
