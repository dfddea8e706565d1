# The commands of the README, and what maintainers run beside them.

SHELL := /bin/bash

.PHONY: run demo test prove bench docs release install setup

# Decides every flag of the example shop for its users.
run:
	@Scripts/setup run
	@[ -x .build/release/turnout ] || echo 'Building; the first time takes a few minutes ...'
	@Scripts/build-turnout
	@.build/release/turnout decide --datafile Examples/Shop/datafile.json --users Examples/Shop/users.ndjson \
		--profiles Examples/Shop/profiles.json --output table
	@printf '\nNext, try:\n'
	@printf '  .build/release/turnout explain --datafile Examples/Shop/datafile.json --flag free_shipping --users Examples/Shop/users.ndjson --user olga\n'
	@printf '  .build/release/turnout inspect --datafile Examples/Shop/datafile.json\n'
	@printf '  .build/release/turnout decide --help\n'

# A server with a copy of the example shop and simulated visitors, to look at in a browser until Ctrl-C.
PORT ?= 8080
demo:
	@Scripts/setup run
	@[ -x .build/release/turnout ] || echo 'Building; the first time takes a few minutes ...'
	@Scripts/build-turnout
	@turnout=$$PWD/.build/release/turnout; folder=$$(mktemp -d); cp -R Examples/Shop/. $$folder; cd $$folder; \
	$$turnout serve --port $(PORT) --set access.local_management=true --set log.level=error & server=$$!; \
	trap "kill $$server 2>/dev/null; wait $$server; rm -rf $$folder" EXIT; sleep 1; \
	until (: < /dev/tcp/localhost/$(PORT)) 2>/dev/null; do kill -0 $$server || exit 1; sleep 0.2; done; \
	kill -0 $$server 2>/dev/null || exit 1; \
	$$turnout simulate --server http://localhost:$(PORT) --event purchase --visitors 20000 \
		--effect one_page=+80% --effect by_rating=-12%; \
	printf '\nOpen http://localhost:$(PORT)/ in a browser. Ctrl-C ends the server.\n'; wait $$server

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

# An archive, a Debian package, a bill of materials, notes and checksums, in .build/dist.
release: setup
	@Scripts/release

# Installs the command, its manual pages and shell completions: make install PREFIX=/usr/local
PREFIX ?= /usr/local
install:
	@Scripts/setup run
	@Scripts/build-turnout
	@install -d $(DESTDIR)$(PREFIX)/{bin,share/man/man1,share/bash-completion/completions} \
		$(DESTDIR)$(PREFIX)/share/{zsh/site-functions,fish/vendor_completions.d}
	@install -m 755 .build/release/turnout $(DESTDIR)$(PREFIX)/bin/turnout
	@.build/release/turnout completions --manual $(DESTDIR)$(PREFIX)/share/man/man1
	@.build/release/turnout completions bash > $(DESTDIR)$(PREFIX)/share/bash-completion/completions/turnout
	@.build/release/turnout completions zsh > $(DESTDIR)$(PREFIX)/share/zsh/site-functions/_turnout
	@.build/release/turnout completions fish > $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/turnout.fish
	@echo "installed turnout in $(DESTDIR)$(PREFIX)"

setup:
	@Scripts/setup
