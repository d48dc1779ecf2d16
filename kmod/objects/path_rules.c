// SPDX-License-Identifier: GPL-2.0
/*
 * The properties of packets that the routing rules of a network namespace match. Packets to
 * one leaf that agree in all of them have one key, and share its paths.
 */
#include <net/fib_rules.h>
#include <net/ip6_fib.h>
#include <net/ip_fib.h>
#include <net/ipv6.h>

#include "objects/path.h"
#include "objects/path_rules.h"

static const struct fib_rules_ops *conga_path_rules_of(const struct net *net, bool v4)
{
#ifdef CONFIG_IP_MULTIPLE_TABLES
	if (v4)
		return net->ipv4.rules_ops;
#endif
#ifdef CONFIG_IPV6_MULTIPLE_TABLES
	if (!v4)
		return net->ipv6.fib6_rules_ops;
#endif
	return NULL;
}

static void conga_path_rules_bound(struct conga_path_rules *rules, unsigned int port)
{
	unsigned int i;

	if (!port || port > U16_MAX)
		return;
	for (i = 0; i < rules->sports; i++)
		if (rules->sport[i] == port)
			return;
	if (rules->sports == CONGA_PATH_SPORTS)
		rules->too_many = true;
	else
		rules->sport[rules->sports++] = port;
}

/* conga_path_rules_read - the current rules; RCU */
void conga_path_rules_read(struct conga_path_rules *rules, const struct net *net, bool v4)
{
	const struct fib_rules_ops *ops = conga_path_rules_of(net, v4);
	const struct fib_rule *rule;

	*rules = (struct conga_path_rules) {
		.any = v4 ? fib4_has_custom_rules(net) :
			    fib6_has_custom_rules(net) || fib6_routes_require_src(net),
	};
	if (!rules->any || !ops)
		return;
	list_for_each_entry_rcu(rule, &ops->rules_list, list) {
		rules->marks |= rule->mark_mask;
		if (!fib_rule_port_range_set(&rule->sport_range))
			continue;
		conga_path_rules_bound(rules, rule->sport_range.start);
		conga_path_rules_bound(rules, rule->sport_range.end + 1);
	}
}

/* conga_path_sport_class - the smallest source port that rules treat like @sport */
u16 conga_path_sport_class(const struct conga_path_rules *rules, u16 sport)
{
	u16 least = 0;
	unsigned int i;

	for (i = 0; i < rules->sports; i++)
		if (rules->sport[i] <= sport)
			least = max(least, rules->sport[i]);
	return least;
}

/* conga_path_rules_allow - may packets have this key? False once changed rules match other
 * properties.
 */
bool conga_path_rules_allow(const struct conga_path_rules *rules,
			    const struct conga_path_key *key)
{
	if (key->domain == CONGA_PATH_OWN_DOMAIN)
		return true;
	if (ipv6_addr_any(&key->source) == rules->any)
		return false;
	return !(key->mark & ~rules->marks) &&
	       conga_path_sport_class(rules, key->sport) == key->sport;
}
