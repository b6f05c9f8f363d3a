#pragma once

#include "svc/core/result.hpp"
#include "svc/core/time.hpp"

#include <string>
#include <string_view>

namespace svc::notifications {

/// Returns true if SMTP accepts the address without quoting and without SMTPUTF8. Such an address is a dot-string of
/// RFC 5321 4.1.2, `@`, and a name of letters, digits, dots and hyphens. The dot-string has at most 64 bytes, the
/// address at most 254. Total.
bool is_mail_address(std::string_view text);

/// A `Name <address>` or an address. `parse_mailbox` is total.
struct mailbox {
  std::string name{}, address{};
};
result<mailbox> parse_mailbox(std::string_view text);

/// Returns the value of an unstructured header field or a display name, folded into lines of at most 76 characters.
/// Short ASCII stays as it is; any other text becomes encoded words (RFC 2047), each of whole characters.
std::string encoded_words(std::string_view text);

/// Returns `"Name" <address>`, with the name quoted or in encoded words.
std::string mailbox_field(mailbox const& mailbox);

/// Encodes a text as in RFC 2045 6.7, with lines of at most 76 characters that end with CR LF. The lines of `text`
/// end with `\n`.
std::string quoted_printable(std::string_view text);

/// The fields by which mails differ. A value.
struct mail_head {
  mailbox source;
  std::string_view recipient;  ///< an address
  std::string_view subject;    ///< on one line; cut to 200 bytes
  std::string id;              ///< the part of `Message-ID` before its `@`
  timestamp now{};
};

/// Returns the part of an address after its `@`.
std::string domain_of(std::string_view address);

/// Returns the fields `From`, `To`, `Subject`, `Date`, `Message-ID` and those that say that a machine has sent the
/// mail. Any texts give correct fields.
std::string write_head(mail_head const& head);

}  // namespace svc::notifications
