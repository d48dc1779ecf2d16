# SPDX-License-Identifier: GPL-2.0
"""Mutants that are generated from the syntax of C, and what runs them: see ../generated."""
