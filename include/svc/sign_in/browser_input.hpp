// Texts that people and pages send to the sign-in, in the one form in which they are compared and stored.
#pragma once

#include "svc/core/hash.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace svc::sign_in {

/// Bytes of a longest e-mail address (RFC 5321 4.5.3.1.3, without the angle brackets), and of its local part.
inline constexpr std::size_t longest_email = 254, longest_local_part = 64;

/// Returns an e-mail address in the form in which accounts are found, or `std::nullopt` if the text is none.
/// Surrounding white space goes, and ASCII letters become lower case, those of the local part as well: one mailbox
/// must not have several windows of attempts. Statements compare this form with `lower(email)`.
std::optional<std::string> normalised_email(std::string_view text);

/// Returns the part after the @ of a normalised address.
std::string_view domain_of(std::string_view normalised_email);

/// Returns the subject of windows that count for an address. Stores see the digest, never a typed address. Any text
/// has a digest, so that an address of a wrong form is counted as well.
sha256_digest email_digest(std::string_view text);

/// Bytes of the longest path to return to.
inline constexpr std::size_t longest_return_path = 2048;

/// Returns true for a path of our own pages, to which a sign-in may return: it starts with `/app/` and consists of
/// visible ASCII. A browser must not read it as another host or as a path outside of `/app/`, so `//`, `\` and
/// segments of dots, also percent-encoded ones, are refused.
bool is_return_path(std::string_view text);

}  // namespace svc::sign_in
