#pragma once

#include "svc/core/result.hpp"

#include <string>
#include <string_view>

namespace svc::notifications {

/// What SMTP can be told without quoting and without SMTPUTF8: a dot-string of RFC 5321 4.1.2, `@`, and a name of
/// letters, digits, dots and hyphens; at most 64 and 254 bytes. Total.
bool is_mail_address(std::string_view text);

/// `Name <address>` or an address. Total.
struct mailbox {
  std::string name{}, address{};
};
result<mailbox> parse_mailbox(std::string_view text);

/// The value of an unstructured header field or a display name, on lines of at most 76 characters that are folded: as
/// it is if it is short ASCII, otherwise encoded words (RFC 2047), each of whole characters.
std::string encoded_words(std::string_view text);

/// `"Name" <address>`, the name quoted or in encoded words.
std::string mailbox_field(mailbox const& mailbox);

/// RFC 2045 6.7, lines of at most 76 characters that end with CR LF. `text`: lines end with `\n`.
std::string quoted_printable(std::string_view text);

}  // namespace svc::notifications
