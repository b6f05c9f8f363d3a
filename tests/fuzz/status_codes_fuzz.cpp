// Any bytes are a list of status codes or not; one has codes, all of three digits, and a list of them is the same.
#include "check.hpp"
#include "svc/domain/monitoring/checks/status_codes.hpp"

#include <cstdint>
#include <string>

using namespace svc;

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  auto const text = text_of(data, size);
  auto const codes = checks::status_codes::parse(text);
  if (!codes) {
    check(!codes.error().message.empty(), "a refusal says why");
    return 0;
  }
  check(text.size() <= checks::status_codes::longest_text, "bounded");
  int count = 0;
  std::string ranges;
  for (int code = -1; code <= 1000; ++code) {
    if (!codes->has(code)) continue;
    check(code >= 100 && code <= 999, "three digits");
    ++count;
    if (codes->has(code - 1)) continue;
    int last = code;
    while (codes->has(last + 1)) ++last;
    ranges += (ranges.empty() ? "" : ",") + std::to_string(code) + '-' + std::to_string(last);
  }
  check(count > 0, "some code is good");
  if (ranges.size() > checks::status_codes::longest_text) return 0;
  auto const again = checks::status_codes::parse(ranges);
  check(again.has_value(), "the same list in ranges is one");
  for (int code = 100; code <= 999; ++code) check(again->has(code) == codes->has(code), "the same codes");
  return 0;
}
