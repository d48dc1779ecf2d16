#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# fabric_test.sh - the libraries that almost every test of a fabric uses. TESTS must be the folder
# selftests/.

. "$TESTS/lib/lib.sh"
. "$TESTS/lib/topology.sh"
. "$TESTS/lib/fabric.sh"
. "$TESTS/lib/expect.sh"
