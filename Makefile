# A thin front to CMake. `make demo` and `make test` take a fresh Debian 12 machine to a result on their own.
PRESET ?= release
JOBS ?= $(shell nproc)
BUILD = build/$(PRESET)
# How often a test that fails may run until it counts as failed. What fails once is in the output either way.
TEST_TRIES ?= 1
MAKEFLAGS += --no-print-directory
CTEST = ctest --test-dir $(BUILD) --output-on-failure --repeat until-pass:$(TEST_TRIES) -j $(JOBS)

.PHONY: all setup configure build demo demo-editors demo-farm blender-addon pictures test test-editors bench install package lint fuzz format clean help

all: build

help: ## show this list
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

setup: ## install missing packages through apt, and where npm is, fetch what the view is bundled from
	@scripts/setup $(shell command -v npm >/dev/null 2>&1 && echo view)

# A new build folder is ninja's: with some 600 targets make takes seconds to find that there is nothing to do, and each of
# the commands here builds first. One that has another generator keeps it.
configure: setup
	@! command -v ninja >/dev/null || export CMAKE_GENERATOR=Ninja; \
	cmake --preset $(PRESET) >/dev/null || cmake --preset $(PRESET)

build: configure ## build everything (PRESET=release|relassert|dev|tsan)
	@cmake --build $(BUILD) -j $(JOBS)

demo: build ## the main job, for real: daemon, scene, tiles, a moved crate, pictures
	@scripts/demo $(BUILD)

demo-editors: ## the same with real editors: an object moves in Blender, Chromium's live view shows it
	@scripts/setup editors
	@$(MAKE) --no-print-directory build
	@scripts/demo-editors $(BUILD)

demo-farm: build ## a farm on this machine: workers, a replica, one of each killed; the result is a single machine's
	@scripts/setup farm
	@scripts/demo-farm $(BUILD)

pictures: build ## draw the documentation's pictures again
	@scripts/pictures $(BUILD)

test: build ## all tests
	@scripts/setup test || true # without them their tests are skipped
	@$(CTEST) -LE editors

test-editors: ## installs and drives real editors: Blender, Godot, Chromium, Python, Node, Wine
	@scripts/setup editors
	@$(MAKE) --no-print-directory build
	@NAVD_EDITORS=required $(CTEST) -L editors

blender-addon: configure ## the Blender add-on as one zip, build/PRESET/navd_blender.zip
	@cmake --build $(BUILD) --target blender_addon

bench: build ## measured figures, beside Recast's where librecast is installed
	@scripts/bench $(BUILD)

lint: configure ## format and clang-tidy over all sources
	@scripts/setup lint
	@scripts/lint $(BUILD)

fuzz: ## every fuzz target for FUZZ_SECONDS (default 60) on its kept corpus; 0: the corpus alone
	@scripts/setup clang
	@! command -v ninja >/dev/null || export CMAKE_GENERATOR=Ninja; scripts/fuzz $${FUZZ_SECONDS:-60}

install: build ## install the daemon, navctl, the libraries and headers (DESTDIR, PREFIX)
	@cmake --install $(BUILD) $(if $(PREFIX),--prefix $(PREFIX))

package: build ## Debian packages, in build/PRESET/packages
	@cd $(BUILD) && cpack -G DEB

format: ## format all sources
	@git ls-files '*.c' '*.h' '*.cpp' '*.hpp' | xargs clang-format -i

clean: ## remove all builds
	@rm -rf build
