// SPDX-License-Identifier: GPL-2.0
#include <arpa/inet.h>
#include <string.h>
#include <netlink/attr.h>
#include "common/addr.h"

int conga_addr_compare(const void *a, const void *b)
{
	return memcmp(a, b, sizeof(struct in6_addr));
}

bool conga_addr_read(const struct nlattr *attr, struct in6_addr *addr)
{
	if (!attr)
		return false;
	memset(addr, 0, sizeof(*addr));
	if (nla_len(attr) == (int)sizeof(*addr)) {
		memcpy(addr, nla_data(attr), sizeof(*addr));
		return true;
	}
	if (nla_len(attr) != (int)sizeof(struct in_addr))
		return false;
	addr->s6_addr32[2] = htonl(0xffff);
	memcpy(&addr->s6_addr32[3], nla_data(attr), sizeof(struct in_addr));
	return true;
}

bool conga_addr_is_v4(const struct in6_addr *addr)
{
	return IN6_IS_ADDR_V4MAPPED(addr);
}

int conga_addr_put(struct nl_msg *msg, int attr4, int attr6, const struct in6_addr *addr)
{
	if (conga_addr_is_v4(addr))
		return nla_put(msg, attr4, sizeof(struct in_addr), &addr->s6_addr32[3]);
	return nla_put(msg, attr6, sizeof(*addr), addr);
}

const char *conga_addr_text(const struct in6_addr *addr, char *text)
{
	bool v4 = conga_addr_is_v4(addr);

	inet_ntop(v4 ? AF_INET : AF_INET6, v4 ? (const void *)&addr->s6_addr32[3] : addr,
		  text, CONGA_ADDR_TEXT_MAX);
	return text;
}
