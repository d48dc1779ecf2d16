# SPDX-License-Identifier: GPL-2.0
"""What include/netlink/generate makes of the description of the netlink family."""
