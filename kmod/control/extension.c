// SPDX-License-Identifier: GPL-2.0
/*
 * Control packets of a policy with an extension (policies/extension.h): HULA's probes.
 * CONGA has none. Other code calls probes only through this file.
 */
#include "control/extension.h"
#include "control/probe.h"

/* conga_extension_receive - a control packet came to all systems of a link */
void conga_extension_receive(struct conga_control_source *source)
{
	conga_probe_receive(source);
}

/* conga_extension_setup - of a fabric that is not published yet */
void conga_extension_setup(struct conga_fabric *fabric)
{
	conga_probe_setup(fabric);
}

/* conga_extension_restart - the fabric begins, or its policy or parameters have changed */
void conga_extension_restart(struct conga_fabric *fabric)
{
	conga_probe_restart(fabric);
}

/* conga_extension_stop - stop probes before the fabric goes; sleeps */
void conga_extension_stop(struct conga_fabric *fabric)
{
	conga_probe_stop(fabric);
}
