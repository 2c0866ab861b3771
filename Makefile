# Everything here needs Go, git and make. Nothing is installed; what is missing
# (a browser, Node) is skipped and said out loud.

GO         ?= go
FUZZTIME   ?= 10s
BENCHTIME  ?= 1x
STATICCHECK = honnef.co/go/tools/cmd/staticcheck@v0.8.2
DEADCODE    = golang.org/x/tools/cmd/deadcode@v0.51.0
# The newest release whose modules the public proxy all serves.
GORELEASER ?= $(GO) run github.com/goreleaser/goreleaser/v2@v2.14.0

# Programs need no libraries of the system: they start a tenth sooner, and run on any Linux.
export CGO_ENABLED = 0

.DEFAULT_GOAL := build
.PHONY: build test test-browser test-faults test-install test-all race check wasm golden man shots completions bench bench-peers fuzz torture dist dist-check dist-test release clean

# The binary, then this repository's own site in public/.
build: bin/packgen
	bin/packgen build

.PHONY: bin/packgen
bin/packgen:
	$(GO) build -trimpath -o bin/ ./cmd/packgen ./cmd/packgen-hook
	$(GO) -C $(SIGN) build -trimpath -o ../../bin/ .

# Modules of their own: nothing else needs the sixty that Sigstore brings, nor the programs
# that kill packgen and fail its disk.
SIGN    = cmd/packgen-sign
FAULTS  = cmd/faults
MODULES = $(SIGN) $(FAULTS)

# Tests whose names begin with TestBrowser, TestFault or TestInstall are tiers of their own;
# make test runs all others, with one pass of the browser. make check vets.
# Half of the processor time of these tests is the garbage collector's, at its usual pace, and
# a third of what the linker takes goes into tables for debuggers.
TIERS = ^Test(Browser|Fault|Install)
TEST  = GOGC=400 $(GO) test -vet=off -ldflags=-w -timeout 30m
# What takes longest begins first: the tests of packages run in the order of this list.
test:
	$(MEMORY) $(TEST) -skip '$(TIERS)' ./site/browser ./cmd/packgen ./site ./site/build ./...
	cd $(SIGN) && $(MEMORY) $(TEST) ./...

# A third of the time of make test goes to the disk: it takes memory where there are 2 GB of
# it to write to and start programs from. The tiers are about disks, and keep to them.
MEMORY = $(if $(TMPDIR),,$(shell dir=/dev/shm/packgen-tests-$$(id -u); \
	test "$$(df -Pk /dev/shm 2>/dev/null | awk 'NR == 2 { print $$4 }')" -gt 2097152 2>/dev/null && \
	mkdir -p -m 700 $$dir && test -O $$dir && cp /bin/true $$dir/true && $$dir/true 2>/dev/null && echo TMPDIR=$$dir))

# Every page, width and script of the site in a browser, axe, and hostile pages.
test-browser:
	$(TEST) -run '^TestBrowser' ./site/browser

# Commands that are killed, disks that fail, power cuts, pipes in place of files, several
# processes at once.
# What they start is outside of their module, so that go does not see it change.
test-faults:
	cd $(FAULTS) && $(TEST) -count 1 .
	$(TEST) -run '^TestFault' ./cmd/packgen

# The action, the GitLab template, install.sh, packages, signing, and what others bring: a
# registry, an editor, the MCP inspector.
test-install:
	$(TEST) -run '^TestInstall' ./cmd/packgen ./packaging ./resolver/remote ./site/build

test-all: test test-browser test-faults test-install

# The same under the race detector, which needs a C compiler and ten times as long.
race:
	CGO_ENABLED=1 $(GO) test -vet=off -race -timeout 40m ./...
	for m in $(MODULES); do CGO_ENABLED=1 $(GO) -C $$m test -vet=off -race ./... || exit 1; done

# What must hold before a change goes in.
check:
	@test -z "$$(gofmt -l .)" || { echo 'not formatted:'; gofmt -l .; exit 1; }
	$(GO) vet ./...
	for m in $(MODULES); do $(GO) -C $$m vet ./... || exit 1; done
	GOOS=wasip1 GOARCH=wasm $(GO) vet ./assets/wasm
	$(GO) run $(STATICCHECK) ./...
	for m in $(MODULES); do (cd $$m && $(GO) run $(STATICCHECK) ./...) || exit 1; done
	@# What only tests reach belongs into their files, or into a folder whose name ends
	@# in "test"; what is there some test must reach.
	@echo '$(GO) run $(DEADCODE) ./...'; \
		program=$$($(GO) run $(DEADCODE) ./...) && tests=$$($(GO) run $(DEADCODE) -test -filter '^github.com/packgen/packgen/.*test$$' ./...) || exit 1; \
		dead=$$(printf '%s\n' "$$program" | grep -v 'test/[^/:]*[.]go:'; printf '%s' "$$tests"); \
		test -z "$$dead" || { echo 'nothing reaches:'; printf '%s\n' "$$dead"; exit 1; }
	$(GO) test -count 1 .
	$(GO) mod tidy -diff
	for m in $(MODULES); do $(GO) -C $$m mod tidy -diff || exit 1; done
	$(GO) run ./assets/wasm/build -check
	$(GO) test -run 'Committed|Rebuild|SourceHash' ./assets/wasm/build
	@if command -v npm >/dev/null; then \
		cd assets && npm ci --silent --no-audit --no-fund && npx --no-install tsc --noEmit; \
	else echo 'no npm: the TypeScript is not checked'; fi

# The matcher as WebAssembly, committed as assets/dist/matcher.wasm.gz.
wasm:
	$(GO) generate ./assets/wasm/build

# Rewrites the golden files of every package that has some.
golden:
	for p in $$($(GO) list -f '{{.Dir}}' ./...); do \
		if grep -qs 'flag.Bool("update"' $$p/*_test.go; then (cd $$p && $(GO) test -update .) || exit 1; fi; \
	done

# The pictures of the main pages in README.md and the manual, by a browser.
shots:
	$(GO) test -run '^TestScreenshots$$' -count 1 ./site/browser -args -shots "$(abspath packs/packgen-manual/assets)"

# The manual pages, in bin/man.
man:
	$(GO) test -run '^TestManPages' -count 1 ./cmd/packgen -args -man "$(abspath bin/man)"

bench:
	$(GO) test -run '^$$' -bench . -benchmem -benchtime $(BENCHTIME) ./...

# packgen beside others on the same input, in turn: Hugo on generated pages, and
# the loadout kernel of @mcptoolshop/ai-loadout, which PEERS, a node_modules
# folder, holds.
bench-peers:
	@test -n "$(PEERS)" || echo 'PEERS names no node_modules folder: the loadout kernel is measured alone'
	PEERS="$(abspath $(PEERS))" $(GO) test -v -run '^$$' -bench 'Peers|OpenBinary|Match' -benchmem ./resolver/loadout
	PEERS="$(abspath $(PEERS))" $(GO) test -v -run '^$$' -bench PeersPlan -benchtime 15x ./cmd/packgen
	PACKGEN_BENCH_PEERS=1 $(GO) test -run '^$$' -bench 'Peers$$' -benchtime $(BENCHTIME) -timeout 60m ./cmd/packgen

# Each fuzz target for FUZZTIME, or those whose "folder Name" the regular expression FUZZ
# matches; one that fails does not keep the others from running.
fuzz:
	PACKGEN_FUZZTIME=$(FUZZTIME) PACKGEN_FUZZ='$(FUZZ)' $(GO) test -run '^TestFuzzTargetsFindNothing$$' -count 1 -timeout 48h -v .

# The fault figures of the manual: the tests that count faults, many times over, which
# takes hours; it prints what testdata/torture has. ROUNDS=50 does at most 50 rounds of each; make test does a few. ROWS=kill,disk
# or ROWS=kill/push runs some rows, or parts of them, and keeps the figures of the others;
# ROWS=fuzz goes on with the targets that have not run for FUZZTIME yet.
ROUNDS ?= all
ROWS   ?=
COUNTS  = github.com/packgen/packgen/compiler/torturetest
torture: FUZZTIME = 10m
torture:
	$(if $(ROWS),,rm -f testdata/torture/*.json)
	result=0; export PACKGEN_TORTURE=$(ROUNDS) PACKGEN_TORTURE_ROWS='$(ROWS)' PACKGEN_FUZZTIME=$(FUZZTIME) PACKGEN_FUZZ='$(FUZZ)'; \
	(cd $(FAULTS) && $(GO) test -vet=off -count 1 -timeout 48h -run '^TestFault' .) || result=$$?; \
	$(GO) test -vet=off -count 1 -p 1 -timeout 48h \
		-run "^($$(grep -lE 'torturetest[.](Start|Wanted)[(]' $$(git ls-files '*_test.go' ':!$(FAULTS)') | xargs sed -n 's/^func \(Test[A-Za-z0-9_]*\)(.*/\1/p' | paste -sd'|'))$$" \
		$$($(GO) list -f '{{$$p := .ImportPath}}{{range .TestImports}}{{if eq . "$(COUNTS)"}}{{$$p}} {{end}}{{end}}{{range .XTestImports}}{{if eq . "$(COUNTS)"}}{{$$p}} {{end}}{{end}}' ./... | tr ' ' '\n' | sort -u) || result=$$?; \
	cat testdata/torture/*.json; exit $$result

# Shell completions, in bin/completions.
completions: bin/packgen
	@rm -rf bin/completions && mkdir -p bin/completions
	@for shell in bash zsh fish; do bin/packgen completion $$shell >bin/completions/packgen.$$shell || exit 1; done
	@bin/packgen completion powershell >bin/completions/packgen.ps1

# When the commit was made, which is the time of every file that is shipped.
DATES = PACKGEN_TIMESTAMP=$$(git log -1 --format=%ct || echo 0) \
	PACKGEN_DATE=$$(TZ=UTC git log -1 --date=iso-strict-local --format=%cd || echo 1970-01-01T00:00:00Z)

# What a release is made of, as far as it needs no secret, in bin/dist: archives and
# system packages a platform, npm packages, the files of Homebrew and Scoop, and
# checksums.txt; images and SBOMs where docker and syft are installed.
dist: bin/packgen
	@version=$$(bin/packgen version | sed -n 's/^packgen \([0-9][^ ]*\).*/\1/p'); test -n "$$version"; \
	skip=; command -v docker >/dev/null && docker info >/dev/null 2>&1 || { skip=docker; echo 'no docker: no image is made'; }; \
	command -v syft >/dev/null || { skip=$$skip,sbom; echo 'no syft: no SBOM is made'; }; \
	PACKGEN_VERSION=$$version $(DATES) $(GORELEASER) release --snapshot --clean $${skip:+--skip=$${skip#,}} && \
	if command -v npm >/dev/null; then packaging/npm/make.sh "$$version" bin/dist; \
	else echo 'no npm: no npm packages are made'; fi

# The release of the tag that is checked out; the workflow release calls it.
release:
	$(DATES) $(GORELEASER) release --clean

# Whether the release's configuration is right.
dist-check:
	$(GORELEASER) check

# What make dist left, installed into empty roots and used there. Changing the root
# needs root.
dist-test:
	$(GO) test -count 1 -v -run TestInstalled ./packaging -args -dist "$(abspath bin/dist)"

clean:
	rm -rf bin public .packgen
