import TurnoutCommandIO
import TurnoutEngine
import TurnoutFlags
import TurnoutReports

/// `turnout init`: writes a project file to start from.
enum InitCommand: Command {
    static let syntax = CommandSyntax(
        name: "init", summary: "Writes a project file to start from.",
        discussion: """
            Writes flags.yaml, with comments that explain each part, and flags.schema.json, with which editors \
            complete and check it. An existing flags.yaml is kept. The next steps are `turnout lint` and `turnout \
            compile`. --ci prints a workflow that checks each pull request.
            """,
        operands: .init("[FOLDER]", "Where to write flags.yaml. Default: the current folder.", count: 0...1),
        options: [
            .value("--name", "KEY", "The key of the project. Default: that of the example, shop."),
            .value("--ci", "SYSTEM", "Print a workflow for this system, and write nothing.").oneOf("github", "gitlab"),
            .toggle("--schema", "Write only flags.schema.json, for a project that exists."),
            CommandResult.option,
        ],
        examples: [
            "turnout init --name shop": "Write flags.yaml.",
            "turnout init --ci github > .github/workflows/flags.yaml": "Check pull requests in GitHub Actions.",
        ],
        json: [
            "file": "The file that was written."
        ])

    static func run(_ arguments: ParsedArguments) throws -> Int32 {
        let (folder, name) = (arguments.operands.first ?? ".", arguments.value("--name") ?? "shop")
        let result = CommandResult(arguments)
        guard name == name.printable else {
            throw UsageError.invalidValue(
                option: "--name", value: name, expected: "text without control characters", nearest: nil)
        }
        if let system = arguments.value("--ci") {
            if result.isJSON { throw UsageError.conflicting("--ci", "--output json") }
            if arguments.has("--schema") { throw UsageError.conflicting("--ci", "--schema") }
            let workflow = system == "gitlab" ? ProjectTemplate.gitlab : ProjectTemplate.github
            try StandardStream.output.print(workflow, "the text")
            return 0
        }
        let prefix = folder == "." ? "" : folder + "/"
        let (file, schema) = (prefix + ProjectSource.defaultName, prefix + ProjectTemplate.schemaName)
        guard arguments.has("--schema") || !OutputFile.exists(file) else {
            throw CommandError(
                "\(file): exists already, and was not changed", advice: "Choose another folder, or edit the file.")
        }
        if folder != "." { try OutputFile.createFolder(folder) }
        let schemaFile = (schema, PackageResources.flags_schema_json)
        guard !arguments.has("--schema") else {
            try OutputFile.write([schemaFile])
            let text = """
                \(schema) is written. Name it in the first line of \(ProjectSource.defaultName):
                  \(ProjectTemplate.schemaLine)

                """
            try result.print(text, ["file": .string(schema)], "the text")
            return 0
        }
        try OutputFile.write([schemaFile, (file, Array(ProjectTemplate.project(named: name).utf8))])
        let text = """
            \(file) and \(schema), with which editors check it, are written; commit both. Next:
              turnout lint \(file)
              turnout compile \(file)

            """
        try result.print(text, ["file": .string(file)], "the text")
        return 0
    }
}

/// The texts that `turnout init` writes.
enum ProjectTemplate {
    /// The file with the JSON Schema of project files, with which editors complete and check.
    static let schemaName = "flags.schema.json"

    /// The line of a project file that names the schema.
    static let schemaLine = "# yaml-language-server: $schema=\(schemaName)"

    /// A project file with comments.
    static func project(named name: String) -> String {
        // SDK keys are parts of addresses.
        let start = String(name.map { $0.isASCII && ($0.isLetter || $0.isNumber || "-_".contains($0)) ? $0 : "_" })
        func sdkKey(_ environment: String) -> String {
            Node(JSONValue.string("\(start)_\(environment)")).flowYAML(inFlow: true)
        }
        return """
            \(schemaLine)
            # The flags of a project. `turnout lint` checks this file, `turnout compile` makes datafiles of it,
            # `turnout diff` and `turnout impact` say what an edit does. Commit this file, turnout.lock and datafiles.
            project: \(Node(JSONValue.string(name)).flowYAML(inFlow: false))

            # Each environment gets a datafile. Programs name an environment by its SDK key.
            environments:
              production: {sdk_key: \(sdkKey("production"))}
              development: {sdk_key: \(sdkKey("development"))}

            # What programs tell about users, and what users do.
            attributes: [plan, app_version]
            events: [purchase]

            # Named sets of users. Members of one condition must all be met.
            audiences:
              paying: {plan: [premium, business]}
              new_app: {app_version: {semver_ge: "5.2"}}

            flags:
              checkout:
                description: The checkout on one page.
                # The type of a variable is that of its default.
                variables:
                  title: Pay
                  steps: 3
                # `off` always exists: it is disabled, and has the defaults.
                variations:
                  on: {}
                  short: {variables: {title: Pay now, steps: 1}}
                rules:
                  # Half of the paying users take part, and are divided evenly.
                  - experiment: checkout_ab
                    audience: paying
                    traffic: 50%
                    split: {off: 50, short: 50}
                    metrics: [purchase.unique, purchase.revenue]
                  # 10 % of the other users with a new app get it, without a measurement.
                  - delivery: checkout_new_app
                    serve: on
                    audience: new_app
                    traffic: 10%
                else: off
                # Developers always get it.
                in:
                  development:
                    rules:
                      - delivery: checkout_developers
                        serve: on

            """
    }

    /// A workflow for GitHub Actions.
    static let github = """
        # Checks the flags of each pull request, and comments on what an edit means and which users it moves.
        name: flags
        on:
          pull_request:
            paths: [flags.yaml, turnout.lock, 'datafiles/**']
        permissions:
          contents: read
          pull-requests: write
        jobs:
          flags:
            runs-on: ubuntu-latest
            steps:
              - uses: actions/checkout@v4
                with:
                  fetch-depth: 0
              # The variable TURNOUT_ARCHIVE of the repository is the address of turnout-VERSION-linux-x86_64.tar.gz,
              # where your team keeps it. No address: the step fails.
              - name: Install turnout
                run: |
                  mkdir -p "$HOME/turnout"
                  curl --fail --silent --show-error --location "$TURNOUT_ARCHIVE" |
                    tar -xz --strip-components 1 -C "$HOME/turnout"
                  echo "$HOME/turnout/bin" >> "$GITHUB_PATH"
                  # Names a library that is missing: see the requirements of turnout.
                  "$HOME/turnout/bin/turnout" --version
                env:
                  TURNOUT_ARCHIVE: ${{ vars.TURNOUT_ARCHIVE }}
              # Exit code 3: something was found. Exit code 1: a command failed.
              - run: turnout lint --output github
              - run: turnout compile --check
              # Without a file of users, they are generated with the values that the audiences compare with. For the
              # shares of your users, commit a file of some, without personal data, and add: --like users.ndjson
              - run: |
                  base=$(mktemp -d)
                  git worktree add --quiet --detach "$base" "origin/$GITHUB_BASE_REF"
                  # A pull request that adds the flags has nothing to compare with.
                  test -f "$base/flags.yaml" || exit 0
                  # Fails if something is not compared, or if users cross from one arm of an experiment to another. The
                  # report is written all the same.
                  result=0
                  turnout diff "$base/flags.yaml" flags.yaml --output markdown > report.md || result=$?
                  for datafile in datafiles/*.json; do
                    # A new environment has no users yet.
                    test -f "$base/$datafile" || continue
                    printf '\\n### %s\\n\\n' "$(basename "$datafile" .json)" >> report.md
                    turnout impact "$base/$datafile" "$datafile" --output markdown --fail-on crossing \\
                      >> report.md || result=$?
                  done
                  cat report.md >> "$GITHUB_STEP_SUMMARY"
                  exit $result
              # Workflows of forks may not comment; their report is in the summary of the run.
              - if: >-
                  always() && hashFiles('report.md') != ''
                  && github.event.pull_request.head.repo.full_name == github.repository
                # A comment has at most 65,536 characters; the summary has all. Each push replaces the comment.
                run: |
                  awk '(size += length($0) + 1) <= 60000' report.md > comment.md
                  gh pr comment ${{ github.event.number }} --edit-last --create-if-none --body-file comment.md
                env:
                  GH_TOKEN: ${{ github.token }}

        """

    /// A job for GitLab CI.
    static let gitlab = """
        # Checks the flags of each merge request, and keeps a report of what an edit means and which users it moves.
        flags:
          rules:
            - if: $CI_PIPELINE_SOURCE == "merge_request_event"
              changes: [flags.yaml, turnout.lock, datafiles/**/*]
          image: debian:bookworm-slim
          # The variable TURNOUT_ARCHIVE of the project is the address of turnout-VERSION-linux-x86_64.tar.gz, where
          # your team keeps it. No address: the job fails.
          before_script:
            - apt-get update -qq
            - apt-get install -y -qq --no-install-recommends ca-certificates curl git libcurl4 libgnutls30 libnettle8
              libpq5 libsqlite3-0 libyaml-0-2 zlib1g
            - curl --fail --silent --show-error --location "$TURNOUT_ARCHIVE"
              | tar -xz --strip-components 1 -C /usr/local
          # Without a file of users, they are generated with the values that the audiences compare with. For the shares
          # of your users, commit a file of some, without personal data, and add: --like users.ndjson
          # Exit code 3: something was found. Exit code 1: a command failed.
          script:
            - turnout lint
            - turnout compile --check
            - base=$(mktemp -d)
            - git fetch --quiet origin "$CI_MERGE_REQUEST_DIFF_BASE_SHA"
            - git worktree add --quiet --detach "$base" FETCH_HEAD
            # A merge request that adds the flags has nothing to compare with.
            - test -f "$base/flags.yaml" || exit 0
            # Fails if something is not compared, or if users cross from one arm of an experiment to another. The report
            # is kept all the same.
            - |
              result=0
              turnout diff "$base/flags.yaml" flags.yaml --output markdown > report.md || result=$?
              for datafile in datafiles/*.json; do
                # A new environment has no users yet.
                test -f "$base/$datafile" || continue
                printf '\\n### %s\\n\\n' "$(basename "$datafile" .json)" >> report.md
                turnout impact "$base/$datafile" "$datafile" --output markdown --fail-on crossing \\
                  >> report.md || result=$?
              done
              exit $result
          artifacts:
            when: always
            paths: [report.md]

        """
}
