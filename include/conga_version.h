/* SPDX-License-Identifier: GPL-2.0 */
/* This is the version of the module, of both programs, of their manuals and of all packages.
 * Files that have to repeat it, such as a changelog, are compared with it by selftests/version.
 */
#ifndef CONGA_VERSION_H
#define CONGA_VERSION_H

#define CONGA_VERSION	"1.0.0"

#endif /* CONGA_VERSION_H */
