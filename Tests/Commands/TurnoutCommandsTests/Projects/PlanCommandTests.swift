@Suite("turnout plan")
struct PlanCommandTests {
    private func run(_ line: String, exitCode: Int32 = 0) async -> (output: String, errors: String) {
        await RunTool.output(of: ["plan"] + line.split(separator: " ").map(String.init), exitCode: exitCode)
    }

    /// 20 % → 25 % needs 1,090.99 visitors in each arm.
    @Test func aRateNeedsTheVisitorsOfTheUnpooledFormula() async {
        let text = await run("--base-rate 20% --effect +25% --per-day 300").output
        #expect(
            text == """
                A rate of 20% becomes 25%: +25% relative, +5pp absolute.
                2 variations, power 80%, alpha 5%.

                                     Each variation  Visitors  Days
                ───────────────────  ──────────────  ────────  ────
                One look at the end           1,091     2,182     8
                Looks at any time             1,855     3,710    13

                For the rule in the project file, before the first look:
                  plan: {visitors: 3710, per_day: 300}

                """)
    }

    /// (z(0.975) + z(0.8))² is 7.84888, and (z(0.995) + z(0.9))² is 14.8794.
    @Test(arguments: [
        ("--base-rate 20% --effect +5%", "becomes 21%: +5% relative, +1pp absolute", "25,580"),
        ("--base-rate 20% --effect +5pp", "becomes 25%: +25% relative, +5pp absolute", "1,091"),
        ("--base-rate 20% --effect -5pp", "becomes 15%: -25% relative, -5pp absolute", "903"),
        ("--base-rate 20% --effect +5pp --alpha 1% --power 90%", "power 90%, alpha 1%", "2,069"),
        // Two comparisons share alpha.
        ("--base-rate 20% --effect +5pp --arms 3", "3 variations, power 80%, alpha 5%", "1,322     3,966"),
        ("--mean 10 --sd 20 --effect +5%", "A mean of 10 becomes 10.5: +5% relative, +0.5 absolute", "25,117"),
        ("--mean 10 --sd 20 --effect +0.5", "becomes 10.5: +5% relative, +0.5 absolute", "25,117"),
        ("--mean 0 --sd 20 --effect -0.5", "A mean of 0 becomes -0.5: -0.5 absolute", "25,117"),
        ("--mean -10 --sd 20 --effect +5%", "A mean of -10 becomes -10.5: +5% relative, -0.5 absolute", "25,117"),
        // Results need 100 visitors of each variation.
        ("--base-rate 50% --effect +40pp", "becomes 90%", "plan: {visitors: 200}"),
    ]) func effectsAreRelativeOrAbsolute(line: String, sentence: String, visitors: String) async {
        let text = await run(line).output
        #expect(text.contains(sentence) && text.contains(visitors), "\(text)")
    }

    @Test(arguments: [
        ("--base-rate 20% --effect 5%", "it must be +5% (of the rate) or +1pp (percentage points)"),
        ("--base-rate 20% --effect +0.05", "it must be +5% (of the rate) or +1pp (percentage points)"),
        ("--base-rate 20% --effect +0%", "it must be +5% (of the rate) or +1pp (percentage points)"),
        ("--mean 3 --sd 1 --effect +1pp", "it must be +5% (of the mean) or +0.5 (in the unit of the mean)"),
        ("--base-rate 20% --effect +90pp", "one that leaves a rate from 0% to 100%"),
        ("--base-rate 0.2 --effect +5%", "it must be a percentage from 0% to 100%"),
        ("--base-rate 20% --effect +5% --power 50%", "it must be a percentage from 80% to 99%"),
        ("--base-rate 20% --effect +5% --alpha 10%", "it must be a percentage from 0.1% to 5%"),
        ("--mean 3 --effect +5%", "--sd NUMBER is missing"),
        ("--effect +5%", "--base-rate RATE or --mean NUMBER is missing"),
        ("--base-rate 20% --mean 3 --effect +5%", "exclude each other"),
        ("--mean 3 --sd 0 --effect +5%", "it must be a number above 0"),
    ]) func whatCannotBePlannedIsRefused(line: String, message: String) async {
        let errors = await run(line, exitCode: 2).errors
        #expect(errors.contains(message), "\(errors)")
    }

    @Test func anEffectThatNoExperimentCanShowIsRefused() async {
        let errors = await run("--base-rate 20% --effect +0.000001%", exitCode: 1).errors
        #expect(errors.contains("no experiment has enough visitors for this effect"), "\(errors)")
    }
}
