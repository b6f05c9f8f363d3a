#include "svc/core/fault_words.hpp"

#include <algorithm>

namespace svc {
namespace {

struct plain_words {
  std::string_view library;
  std::string_view plain;
};

constexpr std::string_view no_tls = "the server does not speak TLS on this port";
constexpr std::string_view closed = "the other side closed the connection without an answer";
constexpr std::string_view untrusted =
    "the certificate is not trusted: no known authority issued it, or it has expired";
constexpr std::string_view no_resolver = "the resolver of this machine does not answer";

/// Longer words precede words that they contain.
constexpr plain_words replacements[] = {
    {"Host not found (authoritative)", "the name has no address"},
    {"Host not found (non-authoritative), try again later", no_resolver},
    {"Name or service not known", "the name has no address"},
    {"No address associated with hostname", "the name has no address"},
    {"Temporary failure in name resolution", no_resolver},
    {"could not translate host name ", "no address was found for "},
    {" to address: ", ": "},
    {"; Is the server running on that host and accepting TCP/IP connections?", ""},
    {"; Is the server running locally and accepting connections on that socket?", ""},
    {"wrong version number (SSL routines)", no_tls},
    {"wrong version number", no_tls},
    {"certificate verify failed (SSL routines)", untrusted},
    {"unexpected eof while reading (SSL routines)", closed},
    {"unexpected eof while reading", closed},
    {"stream truncated", closed},
    {"end of stream", closed},
    {"End of file", closed},
    {"Could not resolve host: ", "no address was found for "},
};

void replace_all(std::string& text, plain_words const& words) {
  for (auto position = text.find(words.library); position != text.npos;
       position = text.find(words.library, position + words.plain.size()))
    text.replace(position, words.library.size(), words.plain);
}

/// Removes the code and the names that OpenSSL prints before its reason: `error:0A00010B:SSL routines::`.
void remove_codes(std::string& text) {
  constexpr std::string_view code = "error:", names = "::";
  for (auto start = text.find(code); start != text.npos; start = text.find(code, start + 1)) {
    auto const digits = start + code.size();
    auto const colon = text.find(':', digits);
    auto const end = text.find(names, digits);
    bool const numbered = colon == digits + 8 && text.find_first_not_of("0123456789ABCDEFabcdef", digits) == colon;
    if (!numbered || end == text.npos) continue;
    auto const rest = text.find(':', end + names.size()) == end + names.size() ? end + 3 : end + 2;
    text.erase(start, rest - start);
  }
}

/// libcurl: "Failed to connect to HOST port 1 after 0 ms: Couldn't connect to server".
void shorten_failed_connect(std::string& text) {
  constexpr std::string_view start = "Failed to connect to ", port = " port ", after = " after ";
  auto const first = text.find(start);
  if (first == text.npos) return;
  auto const host = first + start.size();
  auto const before_port = text.find(port, host), end = text.find(after, host);
  if (before_port == text.npos || end == text.npos || end < before_port) return;
  auto const digits = text.substr(before_port + port.size(), end - before_port - port.size());
  text = text.substr(0, first) + "nothing answers at " + text.substr(host, before_port - host) + ":" + digits +
         ": Connection refused, or no route to it";
}

}  // namespace

std::string in_plain_words(std::string text) {
  shorten_failed_connect(text);
  remove_codes(text);
  for (auto const& words : replacements) replace_all(text, words);
  return text;
}

std::string with_advice(std::string_view fault, std::span<fault_advice const> known) {
  auto out = in_plain_words(std::string(fault));
  auto const found =
      std::ranges::find_if(known, [&](fault_advice const& each) { return fault.find(each.part) != fault.npos; });
  if (found == known.end()) return out;
  while (out.ends_with('.') || out.ends_with(' ')) out.pop_back();
  return out + ": " + std::string(found->advice);
}

}  // namespace svc
