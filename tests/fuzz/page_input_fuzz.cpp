// Any bytes are a setting of a page, a form or a logo, or not; what is accepted keeps its promise.
#include "check.hpp"
#include "svc/core/utf8.hpp"
#include "svc/domain/pages/formats.hpp"
#include "svc/domain/pages/inputs.hpp"

#include <algorithm>
#include <cstdint>

using namespace svc;
using namespace svc::pages;

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  std::string const text(text_of(data, size));
  auto const plain = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'; };
  if (!slug_problem(text)) check(std::ranges::all_of(text, plain) && text.size() <= longest_slug, "a slug");
  if (!colour_problem(text)) check(text.size() == 7, "a colour");
  if (!support_url_problem(text)) check(text.starts_with("https://") && text.find('"') == text.npos, "an address");
  if (auto const domain = page_domain(text, "svc.example")) {
    check(page_domain(*domain, "svc.example") == domain, "a domain stays as it is");
  }
  if (auto const value = form_value(text, "email")) check(is_utf8(*value), "a value is UTF-8");
  if (auto const month = parse_month(text)) check(month->ok(), "a month");
  check(!logo_type(text) || text.size() <= most_logo_bytes, "a logo");
  std::string const ranges[] = {text};
  static_cast<void>(cidrs_problem(ranges));
  return 0;
}
