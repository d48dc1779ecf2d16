# SPDX-License-Identifier: GPL-2.0
#
#   make                   the module for the running kernel, tool and daemon
#   make KDIR=DIR          the module for another kernel's headers
#   sudo make install      conga.ko, conga and congad, for the running kernel
#   sudo make demo         a leaf-spine in a virtual machine, balanced four ways
#                          (SLOW=spine0.0|...|none SEED=1)
#   sudo make demo-check   the demo for every slow link and five seeds: an hour
#   sudo make check        all tests, in userspace and in a virtual machine
#   sudo make check-full   these, and what they stand on: the virtual machine itself,
#                          the lab's tools, and two demos
#   sudo make check-all    check, and User Mode Linux: all tests in a kernel with every
#                          checker, and those that need exact time
#   sudo make check-ci     check-full and check-all at once
#   sudo make mutants      break each guarantee on purpose: a test must notice
#   sudo make lab SCENARIO=fig11 [FORM=reduced|full]
#                          the runs of one figure of the paper, in User Mode Linux
#   sudo make lab-calibrate  whether the lab's machine does what is arithmetic
#   sudo make lab-quick    the main claims, in a quarter of an hour
#   sudo make lab-full     all figures in full size: days
#   make lab-budget        what all that costs
#   sudo make bench-cost   instructions per packet and of TCP, beside the stock kernel
#   sudo make bench-profile [POLICY=ecmp]  where they go, step by step
#   sudo make style        checkpatch, sparse, W=1, shellcheck
#
# demo, check, lab, mutants and style install the Debian packages they miss, and say
# which. What is built is described in Kbuild.

KERNELRELEASE ?= $(shell uname -r)
KDIR ?= /lib/modules/$(KERNELRELEASE)/build
PREFIX ?= /usr/local

VM := selftests/vm/run

all: module tool

module:
	@[ -d $(KDIR) ] || { echo "make: no kernel headers in $(KDIR):" \
		"install linux-headers-$(KERNELRELEASE) or give KDIR=DIR" >&2; exit 1; }
	$(MAKE) -C $(KDIR) M=$(CURDIR) modules

tool:
	$(MAKE) -C userspace

install: all
	$(MAKE) -C $(KDIR) M=$(CURDIR) modules_install
	depmod $(KERNELRELEASE)
	install -D -m 755 userspace/conga $(DESTDIR)$(PREFIX)/sbin/conga
	install -D -m 755 userspace/congad $(DESTDIR)$(PREFIX)/sbin/congad
	install -d $(DESTDIR)$(PREFIX)/lib/systemd/system
	sed 's|=/usr/local/|=$(PREFIX)/|' userspace/congad.service \
		>$(DESTDIR)$(PREFIX)/lib/systemd/system/congad.service

clean:
	-[ ! -d $(KDIR) ] || $(MAKE) -C $(KDIR) M=$(CURDIR) clean
	$(MAKE) -C userspace clean
	$(MAKE) -C selftests clean

setup-%:
	@selftests/setup $*

# Everything that the virtual machine will use, for the kernel that it boots.
vm-build: setup-check
	@echo "make: building module, tool and tests for $$($(VM) --print-release)"
	@selftests/vm/module
	@$(MAKE) -s --no-print-directory tool
	@$(MAKE) -s --no-print-directory -C selftests

# Guest time is counted in instructions (-i): a busy or slow computer changes how
# long the demo takes, not what it shows.
demo: vm-build
	@$(VM) -i -t 900 -e SLOW -e SEED -- selftests/demo

# Many demos: SLOWS="spine0.0 none" SEEDS="1 2 3 4 5"
demo-check: vm-build
	@selftests/demo_check

check: vm-build
	@selftests/check

check-full: vm-build setup-lab
	@selftests/check full

# Builds two kernels at first use.
uml-build: vm-build setup-uml
	@selftests/vm/module -k uml
	@selftests/vm/module -k uml-debug

check-all: uml-build
	@selftests/check all

check-ci: uml-build setup-lab
	@selftests/check full all

# Says what got worse than Documentation/cost.txt has it.
bench-cost: vm-build
	@selftests/bench_cost

bench-profile: vm-build
	@selftests/vm/run -i -t 580 -- selftests/cost_profile.sh $(POLICY)

mutants: uml-build setup-lab
	@selftests/mutants/run

# The lab, selftests/lab/lab: it goes on where it was interrupted.
SCENARIO ?=
FORM ?= reduced
LAB := selftests/lab/lab

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
# Incast; whether it does the same again, and whether a capture says so, too.
lab-calibrate: lab-build
	@$(VM) -k uml --time-travel -t 1800 -- selftests/lab/calibrate.sh
	@$(LAB) repeat fig2 --form quick
	@$(LAB) run capture --form quick
	@$(LAB) captured

lab-quick: lab-build
	@$(LAB) quick

lab-full: lab-build
	@$(LAB) full

lab-budget: setup-lab
	@$(LAB) budget

style: setup-build setup-check setup-style
	@selftests/style

.PHONY: all module tool install clean vm-build uml-build demo demo-check check check-full \
	check-all check-ci bench-cost bench-profile mutants lab-build lab-check lab lab-calibrate lab-quick lab-full lab-budget style
