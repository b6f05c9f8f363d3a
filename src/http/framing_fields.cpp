// Interpretation of the fields that decide framing and connection, and the rules for their combination.
#include "http/chars.hpp"
#include "http/framing_state.hpp"
#include "svc/core/ascii.hpp"

#include <arpa/inet.h>

#include <algorithm>
#include <array>

namespace svc::http {
namespace {

bool valid_port(std::string_view text) {
  if (!chars::all(chars::digit, text) || text.size() > 5) return false;
  int port = 0;
  for (char const c : text) port = port * 10 + (c - '0');
  return port <= 65535;
}

bool valid_ipv6(std::string_view text) {
  std::array<char, INET6_ADDRSTRLEN> terminated{};
  if (text.size() >= terminated.size() || text.find('\0') != std::string_view::npos) return false;
  std::copy(text.begin(), text.end(), terminated.begin());
  in6_addr unused{};
  return ::inet_pton(AF_INET6, terminated.data(), &unused) == 1;
}

/// Calls `f` with each element of a comma-separated list, trimmed; includes empty elements.
template <class F>
void for_each_element(std::string_view list, F f) {
  for (;;) {
    auto const comma = list.find(',');
    f(trim(list.substr(0, comma)));
    if (comma == std::string_view::npos) return;
    list.remove_prefix(comma + 1);
  }
}

}  // namespace

bool valid_host(std::string_view text) {
  std::size_t host_end = text.find(':');
  if (!text.empty() && text.front() == '[') {
    auto const bracket = text.find(']');
    if (bracket == std::string_view::npos || !valid_ipv6(text.substr(1, bracket - 1))) return false;
    host_end = bracket + 1;
  } else {
    auto const name = text.substr(0, host_end);
    if (name.empty() || name.size() > 255 || !chars::all(chars::host, name)) return false;
  }
  if (host_end >= text.size()) return true;
  return text[host_end] == ':' && valid_port(text.substr(host_end + 1));
}

void framing_guard::note_field(std::string_view name, std::string_view value) {
  // The length is compared first, because one comparison excludes most fields.
  switch (name.size()) {
    case 4:
      if (iequals(name, "host")) note_host(value);
      return;
    case 6:
      if (!iequals(name, "expect")) return;
      if (!iequals(value, "100-continue")) {
        return refuse(errc::malformed_request, "The only expectation that can be met is 100-continue.");
      }
      expect_ = true;
      return;
    case 7:
      if (iequals(name, "upgrade")) upgrade_ = true;
      return;
    case 10:
      if (iequals(name, "connection")) note_connection(value);
      return;
    case 14:
      if (iequals(name, "content-length")) return note_length(value);
      return refuse_lookalike(name, "content_length");
    case 17:
      if (iequals(name, "transfer-encoding")) return note_coding(value);
      return refuse_lookalike(name, "transfer_encoding");
    default:
      return;
  }
}

/// Refuses a name with "_". A gateway that turns "_" into "-" (as CGI does) would read the field as framing; this
/// service would not.
void framing_guard::refuse_lookalike(std::string_view name, std::string_view lookalike) {
  if (iequals(name, lookalike))
    refuse(errc::malformed_request, "A header's name has an underscore instead of a dash.");
}

void framing_guard::note_host(std::string_view value) {
  if (host_) return refuse(errc::malformed_request, "The request has more than one Host header.");
  if (!valid_host(value)) return refuse(errc::malformed_request, "The Host header must be one host name and port.");
  host_ = true;
}

void framing_guard::note_length(std::string_view value) {
  if (length_) return refuse(errc::malformed_request, "The request has more than one Content-Length header.");
  // The RFC allows leading zeros, but some parsers take them for octal.
  bool const octal = value.size() > 1 && value.front() == '0';
  if (value.empty() || value.size() > max_length_digits || octal || !chars::all(chars::digit, value)) {
    return refuse(errc::malformed_request,
                  "Content-Length must be one decimal number of at most 18 digits without leading zeros.");
  }
  length_ = true;
  for (char const c : value) head_.content_length = head_.content_length * 10 + static_cast<unsigned>(c - '0');
}

void framing_guard::note_connection(std::string_view value) {
  for_each_element(value, [this](std::string_view option) {
    close_ = close_ || iequals(option, "close");
    persist_ = persist_ || iequals(option, "keep-alive");
    upgrade_option_ = upgrade_option_ || iequals(option, "upgrade");
  });
}

void framing_guard::note_coding(std::string_view value) {
  if (coding_) return refuse(errc::malformed_request, "The request has more than one Transfer-Encoding header.");
  coding_ = true;
  chunked_alone_ = iequals(value, "chunked");
  codings_readable_ = true;
  bool chunked_seen = false;
  for_each_element(value, [&](std::string_view coding) {
    // RFC 9112 6.1: chunked is applied once and last; anything after it leaves the length unknown.
    if (coding.empty() || chunked_seen || !chars::all(chars::token, coding)) codings_readable_ = false;
    chunked_seen = iequals(coding, "chunked");
  });
}

void framing_guard::conclude() {
  if (!host_ && head_.version_minor == 1) {
    return refuse(errc::malformed_request, "An HTTP/1.1 request needs a Host header.");
  }
  if (coding_) {
    conclude_coding();
    if (verdict_ == verdict::refused) return;
    head_.framing = body_framing::chunked;
  } else if (length_) {
    head_.framing = body_framing::content_length;
  }
  head_.keep_alive = !close_ && (head_.version_minor == 1 || persist_);
  head_.expect_continue = expect_ && head_.version_minor == 1 && head_.has_body();
  head_.upgrade = upgrade_ && upgrade_option_ && head_.version_minor == 1;
  verdict_ = verdict::complete;
}

void framing_guard::conclude_coding() {
  if (length_) {
    return refuse(errc::malformed_request, "Send Content-Length or Transfer-Encoding, not both.");
  }
  if (head_.version_minor == 0) return refuse(errc::malformed_request, "HTTP/1.0 has no Transfer-Encoding.");
  if (chunked_alone_) return;
  if (!codings_readable_) {
    return refuse(errc::malformed_request, "Transfer-Encoding must be chunked, once and without another coding.");
  }
  refuse(errc::not_implemented, "The only transfer coding served is chunked.");
}

}  // namespace svc::http
