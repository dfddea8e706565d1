# The commands of the README, and what maintainers run beside them.

SHELL := /bin/bash

.PHONY: run test prove bench docs setup

# Decides every flag of the example shop for its users.
run:
	@Scripts/setup run
	@[ -x .build/release/turnout ] || echo 'Building; the first time takes a few minutes ...'
	@swift build --configuration release --product turnout --quiet
	@.build/release/turnout decide --datafile Examples/Shop/datafile.json --users Examples/Shop/users.ndjson \
		--profiles Examples/Shop/profiles.json --output table
	@printf '\nNext, try:\n'
	@printf '  .build/release/turnout explain --datafile Examples/Shop/datafile.json --flag free_shipping --users Examples/Shop/users.ndjson --user olga\n'
	@printf '  .build/release/turnout inspect --datafile Examples/Shop/datafile.json\n'
	@printf '  .build/release/turnout decide --help\n'

# What every change must pass: up to 15 minutes on two cores.
test: setup
	@Scripts/check

# The longer proof: other builds, long runs, faults of machines. Up to 30 minutes more.
prove: setup
	@Scripts/prove

bench: setup
	@Scripts/bench

# The documentation as a site.
docs: setup
	@Scripts/docs --site

setup:
	@Scripts/setup
