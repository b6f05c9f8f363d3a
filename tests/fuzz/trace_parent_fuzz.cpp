// Any bytes name a trace or not; what is read can be written again and means the same.
#include "check.hpp"
#include "svc/core/trace_parent.hpp"

#include <algorithm>
#include <cstdint>
#include <string>

using namespace svc;

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  auto const text = text_of(data, size);
  auto const got = read_trace_parent(text);
  if (!got) return 0;
  check(got->trace_id.size() == 32 && got->parent_id.size() == 16, "their lengths");
  auto const hex = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); };
  check(std::ranges::all_of(got->trace_id, hex), "safe in a log as it is");
  check(text.size() == 55 || !text.starts_with("00"), "version 00 has one length");
  std::string const again = got->to_string();
  check(again.size() == 55, "the length that is stored");
  auto const same = read_trace_parent(again);
  check(same && same->trace_id == got->trace_id && same->sampled == got->sampled, "written again, the same");
  return 0;
}
