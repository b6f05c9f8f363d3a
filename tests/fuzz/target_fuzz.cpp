// Any bytes are a target or an error; an accepted one is safe to pass on.
#include "check.hpp"
#include "svc/http/target.hpp"

#include <algorithm>
#include <cstdint>

using namespace svc::http;

namespace {

bool has_control(std::string_view text) {
  return std::any_of(text.begin(), text.end(),
                     [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  auto const raw = text_of(data, size);
  auto const got = parse_target(raw, "example.com", size % 2 == 0 ? "OPTIONS" : "GET");
  if (got.has_error()) {
    check(got.error().code == svc::errc::malformed_request, "one kind of error");
    return 0;
  }
  check(got->raw_path == "*" || got->raw_path.starts_with('/'), "a path begins with a slash");
  for (auto const& segment : got->segments) {
    check(!segment.empty() && segment != "." && segment != "..", "no empty and no dot segments");
    check(segment.find_first_of("/\\") == std::string::npos && !has_control(segment), "segments stay segments");
  }
  check(got->query.size() <= max_query_parameters, "at most 50 parameters");
  for (auto const& [name, value] : got->query) check(!has_control(name) && !has_control(value), "no controls");
  return 0;
}
