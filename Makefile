# Makefile: the commands of the README. `make help` lists them.
SHELL := /bin/bash
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory

# Nothing here sees the user's cache of times, nor adds to it: records and pictures are those of the library's own choices.
export HALATION_CACHE :=

PREFIX ?= /usr/local
JOBS ?= $(shell nproc)
SECONDS ?= 600

needs := cmake/install_dependencies.sh
folders := $(wildcard app bench examples include ladder python src tests)
sources = $(shell find $(folders) -name '*.h' -o -name '*.cpp' -o -name '*.cu' -o -name '*.cuh')
# CUDA=1 builds the CUDA backend, CUDA=0 leaves it out; without either CMake looks for a GPU and says which (cmake/with_cuda.cmake).
cuda := $(filter 0 1,$(CUDA))
with_cuda := -DHALATION_CUDA=$(or $(cuda),AUTO)
# $(call build,PRESET,-D…): configures and builds; configuring again costs a second and picks up a changed machine.
build = cmake --preset $(1) $(2) && cmake --build --preset $(1) -j $(JOBS)

.PHONY: help demo test test-pip site test-web wheel test-wheel package test-package asan tsan speed hip bench tables install format lint fuzz
.PHONY: clean

help:  ## this list
	@sed -nE 's/^([a-z-]+):.*## (.*)/  make \1\t\2/p' $(firstword $(MAKEFILE_LIST)) | expand -t 20

demo:  ## installs what is missing, builds, filters a photograph and shows the timings (CUDA=1, CUDA=0)
	@$(needs) build
	@$(call build,release,-DHALATION_APP_BENCH=OFF $(with_cuda))
	@examples/demo.sh build/release/halation build/demo

test:  ## installs what is missing, builds and runs every test (CUDA=1, CUDA=0)
	@$(needs) build test python
	@tests/python/environment build/python
	@$(call build,ci,$(with_cuda) -DHALATION_PYTHON=ON -DPython_EXECUTABLE=$(CURDIR)/build/python/bin/python)
	@ctest --preset ci -j $(JOBS)
	@[[ ! -f build/ci/tests/python/pytest.txt ]] || tail -n 1 build/ci/tests/python/pytest.txt

test-pip:  ## builds and installs the Python package by `pip install .`, and runs its tests there
	@$(needs) build python
	@tests/python/pip

site:  ## builds the site of all documents, with gallery and interfaces: build/site/index.html
	@$(needs) build python
	@site/build

test-web: site  ## opens every page of the site in Chromium; pictures of them: build/site-shots
	@$(needs) web
	@build/site-venv/bin/python -m pip --disable-pip-version-check --quiet install -r tests/web/requirements.txt
	@rm -rf build/site-shots
	@build/site-venv/bin/python -m pytest -q -n $(JOBS) -p no:cacheprovider tests/web --site build/site --shots build/site-shots

wheel:  ## wheels for CPython 3.10, 3.11 and 3.12 and later, with all that they need: build/wheels (CUDA=0: without a GPU)
	@$(needs) build python
	@CUDA=$(or $(cuda),1) JOBS=$(JOBS) python/wheels/build

test-wheel:  ## installs each wheel into a bare Debian 12 and runs its tests there, under every Python that is here; as root
	@$(needs) bare
	@tests/wheels/check

package:  ## .deb packages of program, library and headers: build/package (CUDA=0: without the GPU)
	@$(needs) build package
	@CCACHE_BASEDIR=$(CURDIR) $(call build,package,-DHALATION_CUDA=$(or $(cuda),1))
	@cd build/package && rm -f *.deb && cpack
	@lintian --fail-on error build/package/*.deb

test-package:  ## installs the packages into a bare Debian 12, filters a picture there and builds a program by them; as root
	@$(needs) bare
	@tests/package/check

asan:  ## every test under AddressSanitizer and UndefinedBehaviorSanitizer
	@$(needs) build test
	@$(call build,asan)
	@ctest --preset asan -j $(JOBS)

tsan:  ## the tests of what runs in threads, under ThreadSanitizer
	@$(needs) build test
	@$(call build,tsan)
	@ctest --preset tsan -j $(JOBS)

speed:  ## promises about time: starts of calls, threads, subnormal pixels; on an idle machine
	@$(needs) build test
	@$(call build,speed)
	@ctest --preset speed

hip:  ## installs AMD's hipcc (350 MB) and compiles the ladder's kernels with it; nothing is run
	@$(needs) hip
	@tests/hip/compile build/hip $(JOBS)

bench:  ## verifies, then times halation and its peers in one run
	@$(needs) build bench
	@$(call build,release,-DHALATION_BENCH=ON -DHALATION_INSTRUCTION_SETS=all $(with_cuda))
	@bench/run build/release

tables:  ## writes the measured tables and figures of the documents from bench/results
	@python3 bench/tables/write.py

install:  ## installs the Release build (PREFIX=/usr/local, DESTDIR= for packagers)
	@$(needs) build
	@$(call build,release,$(with_cuda))
	@cmake --install build/release --prefix "$(PREFIX)"

format:  ## clang-format over all sources
	@$(needs) lint
	@clang-format -i $(sources)

lint:  ## clang-tidy over all C++ sources, warnings as errors
	@$(needs) build test bench lint
	@cmake --preset dev -B build/lint -DHALATION_BENCH=ON -DHALATION_APP_UNITY=OFF -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON $(with_cuda)
	@cmake --build build/lint --target halation_commit  # a header that sources include
	@run-clang-tidy -quiet -extra-arg=-Wno-unknown-warning-option -p build/lint -j $(JOBS) \
	  '^$(CURDIR)/(app|bench|examples|ladder|python|src|tests)/.*\.cpp$$'

fuzz:  ## fuzzes file input, weights and parameters, SECONDS=600 each, JOBS at a time
	@$(needs) build test fuzz
	@$(call build,fuzz)
	@tests/fuzz/run build/fuzz $(SECONDS) $(JOBS)

clean:  ## removes build/
	@rm -rf build
