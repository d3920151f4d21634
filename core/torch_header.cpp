// SPDX-License-Identifier: GPL-3.0-or-later
// Nothing but the owner of the precompiled LibTorch header.
