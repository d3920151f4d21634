// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// In front of a plain function whose loops are worth vector code. One build serves every x86-64: the loader
// picks the widest variant that the processor runs. The sanitizers cannot meet the resolver that does it.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__)
#define STRAIGHTEDGE_WIDE __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define STRAIGHTEDGE_WIDE
#endif
