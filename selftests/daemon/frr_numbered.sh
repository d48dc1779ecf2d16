#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# conga follows FRR, eBGP over addressed links: see evpn.sh. In this test zebra creates nexthop
# groups, and keeps only groups that it uses.

# shellcheck source=selftests/lib/evpn.sh
. "$(dirname "$(realpath "$0")")/../lib/evpn.sh"

FRR_UNDERLAY=numbered
FRR_NEXTHOPS="zebra nexthop-group keep 1"
evpn_main single
