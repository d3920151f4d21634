// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace straightedge::text {

// GPT-2's printable character for a byte, "\u0120" for a space.
char32_t byteCharacter(unsigned char byte);

// The bytes that a text of such characters stands for; nullopt where it has others.
std::optional<std::string> bytesOfCharacters(std::string_view text);

// SentencePiece's token for a byte that is in no other token: "<0x41>".
std::string fallbackToken(unsigned char byte);

}  // namespace straightedge::text
