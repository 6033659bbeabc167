# The front door. Meson does the work; each target first installs missing packages (scripts/need lists them).
#
#   make play        build and play
#   make help        all targets

BUILD   = build
PREFIX ?= /usr/local
DESTDIR ?=
FUZZ_SECONDS = 30
FAULTS = 500
ROWS = 1000000
ARCH = x86_64
KEY =
MAINTAINER =

.PHONY: all play test test-cluster test-many test-deb test-tarball test-arm64 check bench bench-line bench-server bench-cluster research fuzz \
    deb tarball dist install format-check clean help

all: ## build the game: build/src/cli/pyramids (with its page if clang is there)
	@scripts/need build
	@scripts/configure $(BUILD) --prefix=$(PREFIX)
	@ninja -C $(BUILD)

play: ## build, then play in the browser: against bots, or with friends
	@scripts/need build page
	@scripts/configure $(BUILD) --prefix=$(PREFIX)
	@ninja -C $(BUILD) src/cli/pyramids
	@$(BUILD)/src/cli/pyramids serve --quiet

test: ## build with two compilers and with sanitizers, run all tests
	@scripts/need build page wasm test web
	@scripts/run-tests

check: ## build once and run the fast tests, for daily work
	@scripts/need build page test
	@scripts/run-tests --fast

test-cluster: ## several servers on one PostgreSQL, with FAULTS faults (500)
	@scripts/need build test
	@$(MAKE) --no-print-directory all
	@PYR_BUILD=$(abspath $(BUILD)) PYR_FAULTS=$(FAULTS) python3 tests/cluster.py $(BUILD)/src/cli/pyramids .

test-many: ## start with ROWS (1000000) visitors and finished games, with both databases
	@scripts/need build test
	@$(MAKE) --no-print-directory all
	@PYR_MANY=$(ROWS) PYR_PATIENCE=1200 python3 tests/start.py $(BUILD)/src/cli/pyramids .
	@PYR_BUILD=$(abspath $(BUILD)) PYR_SYNC=1 PYR_MANY=$(ROWS) PYR_PATIENCE=1200 python3 tests/postgres.py python3 tests/start.py \
		$(BUILD)/src/cli/pyramids .

bench: ## games per second, native and in WebAssembly
	@scripts/need build wasm
	@$(MAKE) --no-print-directory all
	@$(BUILD)/src/cli/pyramids bench
	@scripts/bench-wasm $(BUILD)

research: ## measure every table of docs/ladder.md again (about an hour of one core)
	@scripts/need build test
	@$(MAKE) --no-print-directory all
	@scripts/research-tables $(BUILD) > $(BUILD)/ladder.md && mv $(BUILD)/ladder.md docs/ladder.md

bench-line: ## the line Bench: ... for commits that touch rules or bots
	@scripts/need build >&2
	@$(MAKE) --no-print-directory all >&2
	@scripts/bench-line $(BUILD)

bench-server: ## the server beside boardgame.io, then with ten thousand clients
	@scripts/need build peers
	@$(MAKE) --no-print-directory all
	@scripts/bench-server $(BUILD)

bench-cluster: ## several servers on one PostgreSQL, beside SQLite and boardgame.io
	@scripts/need build test peers
	@$(MAKE) --no-print-directory all
	@scripts/bench-cluster $(BUILD)

fuzz: ## feed the readers odd bytes; FUZZ_SECONDS each
	@scripts/need build fuzz
	@scripts/run-fuzz $(FUZZ_SECONDS)

deb: ## Debian packages in build-deb, without network and npm
	@scripts/need build page deb
	@MAINTAINER='$(MAINTAINER)' scripts/make-deb

test-deb: deb ## install the packages into a bare Debian, play, remove (root)
	@scripts/need deb-chroot
	@tests/deb-chroot.sh
	@tests/deb-twice.sh

tarball: ## one static program for any Linux: ARCH=x86_64 or aarch64
	@scripts/need build page tarball
	@scripts/make-tarball $(ARCH)

test-tarball: tarball ## try it in systems and on a kernel of ten years ago (root)
	@scripts/need old-kernel
	@tests/tarball.sh $$(echo build-tarball/pyramids-*-linux-x86_64) tests/old-calls.py
	@tests/tarball-old.sh
	@tests/tarball-kernel.sh

test-arm64: ## the tarball for arm64 and the fast tests, under qemu
	@$(MAKE) --no-print-directory tarball ARCH=aarch64
	@$(MAKE) --no-print-directory all
	@ninja -C build-tarball/aarch64 tests/twin >build-tarball/twin.log || { cat build-tarball/twin.log; exit 1; }
	@PYR_SOURCE=. tests/old-cpu.sh $(BUILD)/tests/twin $(BUILD)/src/cli/pyramids \
		build-tarball/aarch64/tests/twin build-tarball/aarch64/src/cli/pyramids

dist: all ## source tarball, SBOM, sums; KEY=FILE signs them (ssh-keygen)
	@scripts/need dist
	@scripts/make-dist $(BUILD) $(KEY)

install: all ## install command, library, headers and manual; PREFIX, DESTDIR
	@meson configure $(BUILD) -Dprefix=$(PREFIX)
	@ninja -C $(BUILD)
	@DESTDIR="$(DESTDIR)" meson install -C $(BUILD) --no-rebuild
	@[ -n "$(DESTDIR)" ] || [ "$$(id -u)" != 0 ] || ! command -v ldconfig >/dev/null || ldconfig

format-check: ## the habits of the code that a program can check
	@scripts/check-habits

clean: ## remove everything that was built
	rm -rf build build-*

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## /  make \1\t/p' Makefile | expand -t 22
