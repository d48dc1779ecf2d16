#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The kinds of IPv6 routes: see nexthops.sh.

TESTS=$(realpath "$(dirname "$0")/..")
. "$TESTS/lib/nexthops.sh"

TOPO_UNDERLAY=6
nexthops_main
