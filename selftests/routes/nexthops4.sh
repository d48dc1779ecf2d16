#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The kinds of IPv4 routes: see nexthops.sh.

# shellcheck source=selftests/lib/nexthops.sh
. "$(dirname "$(realpath "$0")")/../lib/nexthops.sh"

TOPO_UNDERLAY=4
nexthops_main
