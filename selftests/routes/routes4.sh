#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Paths that are withdrawn and return, IPv4 underlay: see routes.sh.

TESTS=$(realpath "$(dirname "$0")/..")
. "$TESTS/lib/routes.sh"

TOPO_UNDERLAY=4
routes_main
