#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The kinds of IPv6 routes: see nexthops.sh.

# shellcheck source=selftests/nexthops.sh
. "$(dirname "$(realpath "$0")")/nexthops.sh"

TOPO_UNDERLAY=6
nexthops_main
