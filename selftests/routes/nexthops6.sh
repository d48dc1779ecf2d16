#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The kinds of IPv6 routes: see nexthops.sh.

# shellcheck source=selftests/lib/nexthops.sh
. "$(dirname "$(realpath "$0")")/../lib/nexthops.sh"

TOPO_UNDERLAY=6
nexthops_main
