// Any bytes are an address, a path to return to, or refused; what is accepted keeps its form and names no other host.
#include "check.hpp"
#include "svc/sign_in/browser_input.hpp"
#include "svc/sign_in/origin_rule.hpp"

#include <algorithm>
#include <cstdint>
#include <string>

using namespace svc;

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  auto const text = text_of(data, size);
  if (auto const email = sign_in::normalised_email(text)) {
    check(sign_in::normalised_email(*email) == email, "a normalised address stays one");
    check(sign_in::email_digest(text) == sign_in::email_digest(*email), "both have one digest");
    check(!sign_in::domain_of(*email).empty() && std::ranges::count(*email, '@') == 1, "one domain");
    check(email->find_first_of(" \r\n\t,<>") == std::string::npos, "safe in the head of a mail");
  }
  static_cast<void>(sign_in::email_digest(text));
  if (sign_in::is_return_path(text)) {
    check(text.starts_with("/app/") && text.find("//") == std::string_view::npos, "a path of our pages");
    check(std::ranges::all_of(text, [](char c) { return c > ' ' && c < 0x7f && c != '\\'; }), "visible characters");
  }
  auto const origin = sign_in::origin_of(text);
  check(origin.empty() || sign_in::origin_of(origin) == origin, "an origin stays one");
  sign_in::origin_rule const rule("https://svc.example.org");
  auto const verdict =
      rule.decide({.method = "POST", .fetch_site = {"same-origin", 1}, .origin = {text, 1}, .host = text});
  check((verdict == sign_in::origin_verdict::own_page) == (text == "https://svc.example.org"), "one own origin");
  return 0;
}
