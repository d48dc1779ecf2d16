# SPDX-License-Identifier: GPL-2.0
#
#   make                   the module for the running kernel, tool and daemon
#   make KDIR=DIR          the module for another kernel's headers
#   sudo make install      the module for the running kernel, tools, manuals, completion
#                          and units (PREFIX=/usr/local DESTDIR=)
#   sudo make uninstall    removes all that
#   make deb               Debian packages of both, conga-dkms and conga-tools, in build/deb
#   make release           tag, source, packages, evaluation and checksums of a release, in
#                          build/release (packaging/README.md)
#   sudo make demo         a leaf-spine in a virtual machine, balanced four ways, with a picture
#                          (SLOW=spine0.0|...|none SEED=1)
#   sudo make demo-check   the demo for every slow link and five seeds: an hour
#   sudo make test         the unit tests and the core programs: a minute
#   sudo make test T=NAME  one test (T="stamp test_dre": some), where it runs fastest, or in K
#   sudo make check        the tests that a patch needs, in userspace and in virtual machines:
#                          eight minutes on two processors; all but those beside other software
#                          (K=6.1, K=6.12, K=6.1-rt, K=trixie or K=sid: all in that kernel of
#                          Debian's, which takes longer; else most in User Mode Linux)
#   sudo make check-full   check K=6.1, and what the tests stand on: the virtual machine itself,
#                          the lab's tools, and two demos
#   sudo make check-all    check K=6.1, and User Mode Linux: all tests in a kernel with every
#                          checker, and those that need exact time; and the module built for
#                          other processors and flavours of the kernel
#   sudo make check-ci     check, check-full and check-all at once: in the kernel with every
#                          checker fewer of the tests that need none, in the stock kernel fewer
#                          of those that one processor runs as well: what every change has to pass
#   sudo make platforms [PLATFORM=NAME]
#                          the same builds, and tests in Debian's rt and cloud kernels, in Debian
#                          13's, and on an emulated arm64: hours
#   sudo make campaigns [CAMPAIGN=NAME]
#                          searches for what breaks the module: hours
#   sudo make kselftests [SUITE=NAME]
#                          the kernel's own selftests, without and with conga: hours
#   sudo make soak [HOURS=1|SECONDS=...] [SEED=1]
#                          transfers for so long, of simulated time, while things fail
#   sudo make mutants      break each guarantee on purpose: a test must notice
#   sudo make mutants-generated [BY=unit|module] [SEED=1] [COUNT=...]
#                          mutants that nobody chose: 400 of paper/ and policies/ against the unit
#                          tests, or 200 of the rest of the module against the selftests: hours,
#                          and less where a former run is kept
#   sudo make lab SCENARIO=fig11 [FORM=reduced|full]
#                          the runs of one figure of the paper, in User Mode Linux
#   sudo make lab-calibrate  whether the lab's machine does what is arithmetic
#   sudo make lab-quick    the main claims: five minutes on two processors
#   sudo make lab-full     all figures in full size: days
#   make lab-budget        what all that costs
#   make evaluation        the page of the evaluation that Documentation/evaluation has, with
#                          all figures: build/evaluation/index.html, of the tables kept there
#   make evaluation-keep [FROM=DIR]
#                          puts another one there, of the tables in FROM: archive, figures, verdicts
#   sudo make bench-cost   instructions per packet and of TCP, beside the stock kernel
#   sudo make bench-cores  accesses to memory that processors share, per packet
#   sudo make bench-profile [POLICY=ecmp]  where they go, step by step
#   sudo make bench-native [NATIVE_WAIT=SECONDS]
#                          the time of a packet at native speed, if the computer is quiet
#   sudo make bench-inline what packets would take more if a header's functions were not inline
#   sudo make bench-growth what packets cost with more leaves, uplinks and route keys
#   sudo make bench-merging  frames that a receiver merges, beside the stock kernel
#   sudo make newcomer [DEBIAN=trixie]
#                          what README says a newcomer can try, on a Debian 12 that has nothing,
#                          or on a Debian 13
#   make generate          what is generated from include/netlink/conga.yaml, which is committed
#   sudo make style        checkpatch, sparse, W=1, shellcheck, generated files
#
# demo, check, deb, lab, evaluation, mutants, newcomer and style install the Debian packages they
# miss, and say which. What is built is described in Kbuild.

KERNELRELEASE ?= $(shell uname -r)
KDIR ?= /lib/modules/$(KERNELRELEASE)/build
VERSION := $(shell sed -n 's/^.define CONGA_VERSION\t"\(.*\)"/\1/p' include/conga_version.h)
PREFIX ?= /usr/local

VM := selftests/vm/run
K ?= 6.1
PROCESSORS := $(shell nproc)

all: module tool

module:
	@[ -d $(KDIR) ] || { echo "make: no kernel headers in $(KDIR):" \
		"install linux-headers-$(KERNELRELEASE) or give KDIR=DIR" >&2; exit 1; }
	$(MAKE) -C $(KDIR) M=$(CURDIR) modules

tool:
	$(MAKE) -C userspace

# Of the headers, which may be another kernel's than the running one
UTSRELEASE = $(wildcard $(KDIR)/include/generated/utsrelease.h)
RELEASE = $(or $(shell sed -n 's/.*UTS_RELEASE "\(.*\)"/\1/p' $(UTSRELEASE) </dev/null), \
	$(KERNELRELEASE))
MODULE_DIR = $(DESTDIR)/lib/modules/$(RELEASE)/updates
SHARE = $(DESTDIR)$(PREFIX)/share
DKMS_SOURCE = $(DESTDIR)/usr/src/conga-$(VERSION)
SBIN_DIR ?= $(PREFIX)/sbin
UNIT_DIR ?= $(PREFIX)/lib/systemd/system
RULES_DIR ?= $(PREFIX)/lib/udev/rules.d
UNITS := $(notdir $(wildcard userspace/dist/*.service userspace/dist/*.timer))
DIST_FILES := $(addprefix userspace/dist/,wireshark/conga.lua conga.conf \
	prometheus/conga.rules.yml grafana/conga.json)
MANUALS := $(notdir $(wildcard Documentation/man/*.[578]))

install: all install-tool
	$(MAKE) -C $(KDIR) M=$(CURDIR) INSTALL_MOD_PATH=$(DESTDIR) INSTALL_MOD_DIR=updates \
		DEPMOD=true modules_install
	[ -n "$(DESTDIR)" ] || depmod $(RELEASE)

# All but the module: what needs no kernel headers
install-tool: tool
	install -D -m 755 -t $(DESTDIR)$(SBIN_DIR) userspace/conga userspace/congad
	install -D -m 644 include/uapi/linux/conga.h $(DESTDIR)$(PREFIX)/include/linux/conga.h
	install -D -m 644 userspace/dist/conga.bash $(SHARE)/bash-completion/completions/conga
	install -D -m 644 -t $(SHARE)/conga $(DIST_FILES)
	install -D -m 644 -t $(DESTDIR)$(RULES_DIR) userspace/dist/90-conga.rules
	for page in $(MANUALS); do \
		install -d $(SHARE)/man/man$${page##*.} && \
		sed 's/^\.Os$$/.Os conga $(VERSION)/' Documentation/man/$$page \
			>$(SHARE)/man/man$${page##*.}/$$page || exit; \
	done
	install -d $(DESTDIR)$(UNIT_DIR)
	for unit in $(UNITS); do \
		sed 's|/usr/local/sbin/|$(SBIN_DIR)/|g' userspace/dist/$$unit \
			>$(DESTDIR)$(UNIT_DIR)/$$unit || exit; \
	done

# The source of the module where DKMS looks for it, and how to build it
install-dkms:
	install -d $(DKMS_SOURCE)
	tar -c --exclude='*.o' --exclude='.*.cmd' Kbuild kmod include/conga_version.h include/uapi | \
		tar -x -C $(DKMS_SOURCE)
	sed 's/#MODULE_VERSION#/$(VERSION)/' debian/conga-dkms.dkms >$(DKMS_SOURCE)/dkms.conf

# What install wrote, and nothing else; what is loaded stays loaded.
uninstall:
	rm -f $(DESTDIR)$(SBIN_DIR)/conga $(DESTDIR)$(SBIN_DIR)/congad
	rm -f $(DESTDIR)$(PREFIX)/include/linux/conga.h
	rm -f $(SHARE)/bash-completion/completions/conga $(DESTDIR)$(RULES_DIR)/90-conga.rules
	rm -f $(SHARE)/conga/conga.lua $(SHARE)/conga/conga.conf
	rm -f $(SHARE)/conga/conga.rules.yml $(SHARE)/conga/conga.json
	[ ! -d $(SHARE)/conga ] || rmdir $(SHARE)/conga
	for page in $(MANUALS); do rm -f $(SHARE)/man/man$${page##*.}/$$page; done
	for unit in $(UNITS); do rm -f $(DESTDIR)$(UNIT_DIR)/$$unit; done
	rm -f $(MODULE_DIR)/conga.ko
	[ -n "$(DESTDIR)" ] || depmod $(RELEASE)

clean:
	-[ ! -d $(KDIR) ] || $(MAKE) -C $(KDIR) M=$(CURDIR) clean
	$(MAKE) -C userspace clean
	$(MAKE) -C selftests clean

setup-%:
	@selftests/setup $*

# The packages, of a copy: what the build leaves behind is not left in the tree.
DEB := build/deb
DEB_PARTS := CHANGELOG.md COPYING Documentation Kbuild Makefile README.md SECURITY.md debian include kmod userspace

deb: setup-build setup-package
	rm -rf $(DEB)
	mkdir -p $(DEB)/conga
	tar -c --exclude='*.o' --exclude='.*.cmd' --exclude=userspace/build $(DEB_PARTS) | tar -x -C $(DEB)/conga
	cd $(DEB)/conga && dpkg-buildpackage -b -us -uc >../log 2>&1 || { tail ../log >&2; exit 1; }
	lintian --fail-on error --allow-root $(DEB)/*.changes
	@ls $(DEB)/*.deb

release: setup-build setup-package
	@packaging/release

# Everything that the virtual machine will use, for the kernel that it boots.
vm-build: setup-check $(if $(filter-out 6.1,$(K)),setup-headers-$(K))
	@echo "make: building module, tool and tests for $$($(VM) -k $(K) --print-release)"
	@selftests/vm/module -k $(K)
	@$(MAKE) -s -j$(PROCESSORS) --no-print-directory tool
	@$(MAKE) -s -j$(PROCESSORS) --no-print-directory -C selftests

demo: setup-check
	@selftests/demo_report

# Many demos: SLOWS="spine0.0 none" SEEDS="1 2 3 4 5"
demo-check: vm-build
	@selftests/demo_check

T ?=

# The kernel that was asked for, if one was
KERNEL_OPTION := $(if $(filter command line,$(origin K)),-k $(K))

test: setup-check $(if $(T),setup-uml)
	@selftests/try $(KERNEL_OPTION) $(T)

check: vm-build $(if $(KERNEL_OPTION),setup-software,uml-module)
	@selftests/check $(KERNEL_OPTION)

check-full: vm-build setup-software setup-uml setup-lab setup-kselftests deb
	@selftests/check full

# Builds a kernel at first use.
uml-module: vm-build setup-uml
	@selftests/vm/module -k uml

# Builds a second one at first use.
uml-build: uml-module
	@selftests/vm/module -k uml-debug

check-all: uml-build setup-software setup-big-endian setup-cross
	@selftests/check all

check-ci: uml-build setup-software setup-lab setup-kselftests deb
	@selftests/check full some

# Their results stand in Documentation/user/platforms.md.
PLATFORM ?=

platforms: vm-build setup-software setup-arm64
	@selftests/platforms $(PLATFORM)

# Says what got worse than Documentation/user/cost.txt has it.
bench-cost: vm-build
	@selftests/bench/bench_cost

# With two processors and with four
bench-cores: vm-build
	@for cpus in 2 4; do \
		selftests/vm/run -s $$cpus -t 900 --plugin lines -- selftests/bench/cores.sh || exit; \
	done

bench-profile: vm-build
	@selftests/vm/run -s 1 -t 580 --plugin instructions -- selftests/bench/cost_profile.sh $(POLICY)

# Waits so many seconds for a quiet computer, and refuses to answer on a busy one.
NATIVE_WAIT ?= 600

bench-native: uml-module
	@NATIVE_WAIT=$(NATIVE_WAIT) selftests/bench/bench_native

bench-inline: vm-build
	@selftests/bench/bench_inline

# Draws build/growth.svg.
bench-growth: uml-module setup-lab
	@selftests/bench/bench_growth

bench-merging: uml-module
	@selftests/bench/bench_merging

# Their results stand in Documentation/developer/campaigns.md. Builds two kernels at first use.
CAMPAIGN ?=

campaigns: vm-build setup-software setup-smp setup-uml setup-package setup-kselftests
	@selftests/campaigns $(CAMPAIGN)

# Goes on where it was interrupted. Documentation/developer/kselftests.md has the results.
SUITE ?=

kselftests: vm-build setup-kselftests
	@selftests/kselftests/run $(if $(KERNEL_OPTION),$(KERNEL_OPTION)) $(SUITE)

# Simulated time is a fraction of it on the wall; the same seed does the same again.
HOURS ?= 1
SECONDS ?= $(shell echo $$(($(HOURS) * 3600)))
SEED ?= 1

soak: vm-build setup-uml
	@selftests/vm/module -k uml
	@$(VM) -k uml --time-travel --seed $(SEED) -t $$(($(SECONDS) + 600)) -- \
		selftests/robust/soak.sh -t $(SECONDS) -s $(SEED)

DEBIAN ?=

newcomer: setup-newcomer
	@selftests/newcomer $(if $(DEBIAN),-d $(DEBIAN))

mutants: uml-build setup-software setup-lab setup-package
	@selftests/mutants/run

# Mutants that a seed draws. Their results are kept with the other logs, and a run goes on there.
BY ?= unit
COUNT ?= $(if $(filter module,$(BY)),200,400)
MINIMUM = $(if $(filter module,$(BY)),90,95)
RESULTS = generated/$(BY).tsv

mutants-generated: setup-check $(if $(filter module,$(BY)),setup-software uml-module)
	@[ -e build/$(RESULTS) ] || [ -z "$$(selftests/logs list $(RESULTS))" ] || \
		selftests/logs unpack build $(RESULTS)
	@selftests/mutants/generated run --by $(BY) --seed $(SEED) --count $(COUNT) --minimum $(MINIMUM); \
		status=$$?; selftests/logs add $(RESULTS) build/$(RESULTS) && exit $$status

# The lab, lab/lab: it goes on where it was interrupted.
SCENARIO ?=
FORM ?= reduced
LAB := lab/lab

lab-build: setup-check setup-uml setup-lab
	@selftests/vm/module -k uml
	@$(MAKE) -s --no-print-directory tool
	@$(MAKE) -s --no-print-directory -C selftests lab

# What is wrong is said before anything is built.
lab-check: setup-lab
	@$(LAB) run --dry-run --form $(FORM) $(SCENARIO) >/dev/null

lab: lab-check lab-build
	@$(LAB) run --form $(FORM) $(SCENARIO)

# Whether this machine can be trusted: links, queues, round trips, goodput, hashing,
# Incast; what MPTCP's subflows take together; whether it does the same again, and whether a capture says so, too.
lab-calibrate: lab-build
	@$(VM) -k uml --time-travel -t 1800 -- lab/calibrate.sh
	@LIA_SUBFLOWS="1 2 4 8" LIA_STARTS="0 0.13 0.37" $(VM) -k uml --time-travel -t 1800 \
		-e LIA_SUBFLOWS -e LIA_STARTS -- selftests/harness/lia.sh
	@$(LAB) repeat fig2 --form quick
	@$(LAB) run capture --form quick
	@$(LAB) captured

lab-quick: lab-build
	@$(LAB) quick
	@$(LAB) csv
	@$(LAB) verdicts C01

lab-full: lab-build
	@$(LAB) full

lab-budget: setup-lab
	@$(LAB) budget

generate:
	@include/netlink/generate

# The evaluation that is kept needs no machine.
EVALUATION := build/evaluation
FROM ?=

evaluation: setup-lab
	@$(LAB) unpack --into $(EVALUATION)
	@$(LAB) page --from $(EVALUATION)

evaluation-keep: setup-lab
	@$(LAB) keep $(if $(FROM),--from $(FROM))

style: setup-build setup-check setup-style
	@selftests/style

# lab is also a folder
.PHONY: generate all module tool install install-tool install-dkms uninstall deb release clean vm-build uml-module uml-build demo demo-check test check check-full \
	check-all check-ci platforms bench-cost bench-cores bench-profile bench-native bench-inline bench-growth \
	bench-merging campaigns kselftests soak mutants \
	mutants-generated newcomer lab-build lab-check lab lab-calibrate lab-quick lab-full lab-budget \
	evaluation evaluation-keep style
