# The front door. `make run` on a bare Debian 12 ends in a serving service.
.DEFAULT_GOAL := help
.PHONY: help run install-cli build test test-fast test-asan coverage contract bench fuzz format lint clean \
  dependencies test-dependencies package-dependencies test-web test-upgrade test-fault test-cost test-mutations soak packages test-packages test-client dist test-dist

PRESET ?= dev
PREFIX ?= /usr/local
DEV := build/dev
RELEASE := build/release
FUZZ_SECONDS ?= 600
SOAK_MINUTES ?= 120
COST_MINUTES ?= 10
MUTATIONS ?= 100
SEED ?= 1
REVISION ?= 1
# The address that `svc` uses when nothing else names one; the architectures whose client the packages hold in addition.
SVC_DEFAULT_URL ?=
CLIENTS ?=
# The dashboard's pages: auto (if they can be built), on (or the build fails), off (needs no Node).
DASHBOARD ?= auto
PAGES = -DSVC_DASHBOARD=$(shell echo $(DASHBOARD) | tr a-z A-Z)
NODE = $(if $(filter off,$(DASHBOARD)),,--dashboard)
# One more than cores: a test waits two fifths of its time.
JOBS := $(shell expr $$(nproc) + 1)
# Servers of tests that wait for a processor for seconds look like faults.
FLAT := tools/without_autogroups.sh
RUN_TESTS ?= ctest -j $(JOBS) --output-on-failure --test-dir

help: ## What can be made (run takes ARGS=, for `svcd dev`)
	@awk -F':.*## ' '/^[a-z-]+:.*## / {printf "  make %-11s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

dependencies:
	@tools/install_dependencies.sh $(NODE)

test-dependencies:
	@tools/install_dependencies.sh --tests $(NODE)

package-dependencies:
	@tools/install_dependencies.sh --packages $(NODE)

# One after the other, because what a build needs is installed before it; each uses all cores by itself.
.NOTPARALLEL:

build/%/build.ninja:
	cmake --preset $* $(PAGES)

run: dependencies $(RELEASE)/build.ninja ## Build for release and serve with private stores (DASHBOARD=off: no Node)
	@cmake --preset release $(PAGES) >/dev/null
	cmake --build --preset release --target svcd svc svc-runner
	$(RELEASE)/bin/svcd dev --demo $(ARGS)

install-cli: ## Build the client alone, and install it with manual and completions (PREFIX=/usr/local, DESTDIR=)
	@tools/install_dependencies.sh --cli
	cmake --preset cli
	cmake --build --preset cli
	DESTDIR=$(DESTDIR) cmake --install build/cli --component cli --prefix $(PREFIX)

# A package without pages would be a mistake that nobody sees.
packages test-packages dist test-dist: DASHBOARD := $(if $(filter auto,$(DASHBOARD)),$(if $(wildcard web/package.json),on,auto),$(DASHBOARD))

packages: package-dependencies $(RELEASE)/build.ninja ## Debian packages in build/packages (REVISION=1, SVC_DEFAULT_URL=, CLIENTS=arm64)
	cmake --preset release "-DSVC_DEFAULT_URL=$(SVC_DEFAULT_URL)" $(PAGES) >/dev/null
	cmake --build --preset release
	@for arch in $(CLIENTS); do SVC_DEFAULT_URL="$(SVC_DEFAULT_URL)" tools/build_client.sh $$arch || exit 1; done
	CLIENTS="$(CLIENTS)" tools/build_packages.sh $(REVISION)

test-packages: packages ## Install, run, upgrade and purge them in a bare Debian 12 that boots (as root; needs a mirror)
	tests/packages/run.sh
	tests/packages/machines.sh

test-client: package-dependencies $(RELEASE)/build.ninja ## The client in bare Debian 12 and 13, and its arm64 build (as root; needs a mirror)
	cmake --build --preset release --target svcd svc svc-runner
	tools/build_client.sh amd64 arm64
	tests/packages/client.sh

dist: packages ## Sources, packages, SBOM (CycloneDX) and checksums of a commit, in build/dist
	tools/make_dist.sh

test-dist: dist ## Checksums, the SBOM by its schema, and a second build elsewhere: the same bytes (minutes)
	tests/packages/dist.sh

build: test-dependencies build/$(PRESET)/build.ninja ## Build everything (PRESET=dev|release|asan|tsan)
	cmake --build --preset $(PRESET)

test: test-dependencies $(DEV)/build.ninja ## All tests, each once (.ci/run chooses RUN_TESTS)
	cmake --build --preset dev
	$(FLAT) $(RUN_TESTS) $(DEV)

test-fast: test-dependencies $(DEV)/build.ninja ## Unit tests only
	cmake --build --preset dev --target unit_tests
	ctest --test-dir $(DEV) --output-on-failure -L unit -j 2

test-web: test-dependencies $(DEV)/build.ninja ## The pages: lint, types and unit tests, then in Debian's chromium (Node)
	cmake --build --preset dev --target svcd svc svc-runner
	tests/web/run.sh unit
	tests/web/run.sh browser $(DEV)

test-asan: test-dependencies build/asan/build.ninja ## Unit tests under the address and undefined-behaviour sanitizers
	cmake --build --preset asan --target unit_tests
	ctest --test-dir build/asan --output-on-failure -L unit -j 2

test-upgrade: test-dependencies $(DEV)/build.ninja ## The previous version beside this one and replaced by it (builds it once)
	cmake --build --preset dev --target svcd integration_system
	$(FLAT) tools/test_upgrade.sh

test-fault: test-dependencies $(DEV)/build.ninja ## Stores, processes and lines that fail, in long forms: at most an hour
	cmake --build --preset dev --target svcd svc-runner fault_rig integration_system integration_output integration_redis
	$(FLAT) tools/test_fault.py $(DEV)

soak: test-dependencies $(DEV)/build.ninja ## A day of CI with a failover of each store and a rolling restart, for SOAK_MINUTES (120)
	cmake --build --preset dev --target svcd fault_rig
	TEST_PLACE=/tmp SOAK_MINUTES=$(SOAK_MINUTES) $(FLAT) $(DEV)/bin/fault_rig --source-file='*/soak_test.cpp'

test-cost: test-dependencies $(RELEASE)/build.ninja ## What one tenant can cost, for COST_MINUTES (10): known worst cases, and a search for others
	cmake --build --preset release --target svcd svc-runner
	tests/cost/cost.py --minutes $(COST_MINUTES)

test-mutations: test-dependencies $(DEV)/build.ninja ## Which of MUTATIONS=100 faults of SEED=1 the tests find: hours (tests/README.md)
	cmake --build --preset dev --target svcd
	$(FLAT) tools/mutations/mutate.py --count $(MUTATIONS) --seed $(SEED) $(ARGS)

contract: test-dependencies $(DEV)/build.ninja ## The contract: linters, generated client, readers of feeds, validation proxy, fuzzer (Node)
	cmake --build --preset dev --target svcd svc
	ctest --test-dir $(DEV) --output-on-failure -R '^contract\.(lint|client|feeds|proxy|fuzz)$$'

coverage: test-dependencies build/coverage/build.ninja ## Lines of the border's parsers that unit tests execute; fails below 90 %
	cmake --build --preset coverage --target unit_core unit_domain unit_http unit_net
	tools/coverage.sh

bench: ## Measure (bench/README.md)
	@tools/install_dependencies.sh --bench
	bench/run.sh $(ARGS)

fuzz: test-dependencies build/asan/build.ninja ## Run each fuzz target for FUZZ_SECONDS (600); fails under 10 000 inputs
	cmake --build --preset asan --target fuzz_targets
	tools/fuzz.sh $(FUZZ_SECONDS)

format: test-dependencies ## Format the sources in place
	git ls-files '*.cpp' '*.hpp' | xargs clang-format-19 -i

lint: test-dependencies ## Form of all sources, clang-tidy on what changed since BASE (HEAD~1)
	tools/lint.sh
	tools/tidy.sh $(BASE)

clean: ## Remove all builds
	rm -rf build
