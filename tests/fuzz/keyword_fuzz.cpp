// The first line is a keyword, the rest a body: it is found where RE2 finds that literal without case.
#include "check.hpp"
#include "domain/monitoring/checks/keyword.hpp"
#include "svc/core/utf8.hpp"

#include <re2/re2.h>

#include <algorithm>
#include <cstdint>
#include <string_view>

using namespace svc;

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  auto const input = text_of(data, size);
  auto const sought = input.substr(0, input.find('\n'));
  auto const body = input.substr(std::min(input.size(), sought.size() + 1));
  auto const made = checks::keyword::make(sought);
  check(made.has_value() == (!sought.empty() && is_utf8(sought)), "any text is a keyword");
  if (!made) return 0;
  re2::RE2::Options options(re2::RE2::Quiet);
  options.set_literal(true);
  options.set_case_sensitive(false);
  re2::RE2 const pattern(re2::StringPiece(sought.data(), sought.size()), options);
  check(made->found_in(body) == re2::RE2::PartialMatch(re2::StringPiece(body.data(), body.size()), pattern),
        "found where RE2 finds it");
  return 0;
}
