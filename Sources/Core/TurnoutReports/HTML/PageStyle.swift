/// The style sheet of pages. It has no character that HTML escapes.
package enum PageStyle {
    /// What a page may load: nothing.
    static let policy = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"

    package static let text = """

        :root {
            color-scheme: light dark; --paper: #fff; --ink: #1c2127; --soft: #5a6470; --rule: #d8dde3; --panel: #f4f6f8;
            --better: #00755e; --worse: #b93815; --caution: #8a5a00; --accent: #0045d0;
            --arm0: #69465d; --arm1: #0045d0; --arm2: #a63106; --arm3: #11aa68;
            --arm4: #8b1a8b; --arm5: #d27d10; --arm6: #7187e3; --arm7: #681b0c;
        }
        @media screen and (prefers-color-scheme: dark) { :root {
            --paper: #14181d; --ink: #e6e9ed; --soft: #a0a9b4; --rule: #343b44; --panel: #1d232a;
            --better: #3cc79a; --worse: #ff8a4c; --caution: #e2b93b; --accent: #8cabff;
            --arm0: #8c93a8; --arm1: #5b7eff; --arm2: #ec752e; --arm3: #33e09a;
            --arm4: #ca8ce8; --arm5: #ffda39; --arm6: #a0e5f6; --arm7: #c47652;
        } }
        .arm0 { color: var(--arm0) } .arm1 { color: var(--arm1) } .arm2 { color: var(--arm2) }
        .arm3 { color: var(--arm3) } .arm4 { color: var(--arm4) } .arm5 { color: var(--arm5) }
        .arm6 { color: var(--arm6) } .arm7 { color: var(--arm7) } .bold { font-weight: 600 }
        .dim, .note, small { color: var(--soft) } .cyan { color: var(--accent) } .yellow { color: var(--caution) }
        .green, .better { color: var(--better) } .red, .worse { color: var(--worse) }

        * { box-sizing: border-box } body { margin: 0; background: var(--paper); color: var(--ink) }
        body { font: 1rem/1.5 system-ui, -apple-system, Segoe UI, sans-serif; font-variant-numeric: tabular-nums }
        main { max-width: 56rem; margin: 0 auto; padding: 2rem 1rem 4rem; overflow-wrap: break-word }
        h1 { font-size: 1.75rem; line-height: 1.25; margin: 0 }
        h2 { font-size: 1.25rem; line-height: 1.3; margin: 2.5rem 0 .75rem; break-after: avoid }
        p, ul, pre { margin: .5rem 0; max-width: 44rem } ul { padding-left: 1.25rem } .deep { margin-left: 1.25rem }
        header + section p:first-child { font-size: 1.25rem; line-height: 1.4; margin: 1.5rem 0 1rem }
        pre { padding: .75rem 1rem; background: var(--panel); white-space: pre-wrap }
        code, pre { font: .9em ui-monospace, SFMono-Regular, Menlo, Consolas, monospace }
        .note, table, .legend, details { font-size: .875rem } summary { color: var(--soft); cursor: pointer }

        .scroll { overflow-x: auto; margin: .75rem 0 1.5rem } figure .scroll { margin-bottom: 0 }
        table { border-collapse: collapse; min-width: min(100%, 32rem); line-height: 1.4 }
        caption, figcaption { text-align: left; font-size: 1rem; font-weight: 600; padding: 0 0 .5rem }
        th, td { padding: .4rem .75rem; text-align: left; vertical-align: top; border-bottom: 1px solid var(--rule) }
        th, td { max-width: 20rem; overflow-wrap: break-word } th { font-weight: 500 }
        th:first-child, td:first-child { padding-left: 0 } thead th { color: var(--soft) }
        .right, .state { white-space: nowrap } .right { text-align: right }

        figure { margin: 1.5rem 0 2rem } figure, tr { break-inside: avoid }
        svg { overflow: visible } svg text { font-size: .75rem; fill: var(--soft) }
        .named { display: inline-block; position: relative; padding-left: 1.25rem }
        .symbol { position: absolute; left: 0; top: .2em } .middle { text-anchor: middle } .end { text-anchor: end }
        .grid { stroke: var(--rule) } .zero { stroke: var(--soft) }
        .forest { width: 100% } .forest th, .forest td { vertical-align: middle; border: 0 }
        .forest tbody th { width: 28%; color: var(--ink) } .forest .drawing { width: 44%; height: 2.5rem }
        .forest .drawing { position: relative; max-width: none; padding: 0 } .forest tfoot .drawing { height: 1.5rem }
        .drawing svg { position: absolute; inset: 0 } .drawing svg, .days svg { width: 100%; height: 100% }
        .bar, .unclear .drawing .mark { stroke: currentColor; stroke-width: 2 } .mark { fill: currentColor }
        .unclear .drawing { color: var(--soft) } .unclear .drawing .mark { fill: var(--paper) }
        .days { display: block; width: calc(100% - 5rem); height: 15rem; margin: 1rem 1rem 2.5rem 4rem }
        .line { fill: none; stroke: currentColor; stroke-width: 2; stroke-linecap: round; stroke-linejoin: round }
        .band { fill: currentColor; fill-opacity: .18; stroke: currentColor; stroke-opacity: .5 }
        .line, .band { vector-effect: non-scaling-stroke; print-color-adjust: exact } .band { stroke-dasharray: none }
        .legend { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; margin: 0; padding: 0; list-style: none }

        @media (max-width: 40rem) {
            .wide, .forest thead { display: none } .forest, .forest tbody, .forest tfoot { display: block }
            .forest tr { display: grid; grid-template-columns: auto auto 1fr; column-gap: .75rem; padding-top: .5rem }
            .forest td, .forest th { padding: 0; max-width: none } tfoot td:first-child { display: none }
            .forest tbody th, .forest .drawing { grid-column: 1 / -1; width: auto }
            .forest .drawing { order: 1; margin: 0 1.25rem }
        }
        @media print {
            @page { margin: 16mm } details { display: none }
            body { font-size: 11pt } main { padding: 0; max-width: none }
            table { font-size: .75rem } th, td { padding: .25rem .5rem }
        }

        """
}
