#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# conga follows FRR, eBGP over addressed links: see evpn.sh. Here zebra makes
# nexthop groups, and keeps none that it does not use.

# shellcheck source=selftests/lib/evpn.sh
. "$(dirname "$(realpath "$0")")/../lib/evpn.sh"

FRR_UNDERLAY=numbered
FRR_NEXTHOPS="zebra nexthop-group keep 1"
evpn_main single
