/* SPDX-License-Identifier: GPL-2.0 */
/* The table of policies, in the order in which they are listed; policy_NAME.c defines
 * conga_policy_NAME. Includers define CONGA_POLICY(NAME) and may include it again, so that
 * it has no guard.
 */
CONGA_POLICY(conga)
CONGA_POLICY(conga_flow)
CONGA_POLICY(local)
CONGA_POLICY(ecmp)
CONGA_POLICY(wcmp)
CONGA_POLICY(letflow)
CONGA_POLICY(letflow_rate)
CONGA_POLICY(rps)
CONGA_POLICY(drb)
CONGA_POLICY(presto)
CONGA_POLICY(drill)
CONGA_POLICY(hula)
CONGA_POLICY(rehash)
CONGA_POLICY(conga_prime)
CONGA_POLICY(tr)
