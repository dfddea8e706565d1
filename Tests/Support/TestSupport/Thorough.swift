import Foundation
package import Testing

/// Whether tests run in full, as `Scripts/run-tests` and so `make test` run them, by setting `TURNOUT_THOROUGH_TESTS`.
///
/// Without it, as with `swift test` alone, tests that take seconds are skipped or take fewer rounds.
package let isThorough = ProcessInfo.processInfo.environment["TURNOUT_THOROUGH_TESTS"] != nil

/// The number of rounds of a test: few, or as many as a thorough run takes.
package func rounds(_ few: Int, thorough many: Int) -> Int { isThorough ? many : few }

extension Trait where Self == ConditionTrait {
    /// Skips tests that take seconds, unless tests run in full.
    package static var thorough: Self { .enabled(if: isThorough, "Scripts/run-tests runs this test") }
}
