// The first byte chooses the type, the second the interval; a line is the target, the rest JSON. Any of them is a
// configuration or not: a refusal says where, and what is taken is bounded.
#include "check.hpp"
#include "monitoring/checks/check_types.hpp"
#include "svc/http/json.hpp"

#include <cstdint>
#include <string_view>

using namespace svc;

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  if (size < 2) return 0;
  auto rest = text_of(data + 2, size - 2);
  auto const target = rest.substr(0, rest.find('\n'));
  rest.remove_prefix(std::min(rest.size(), target.size() + 1));
  auto const json = http::parse_json(rest);
  if (!json || !json->is_object()) return 0;
  auto const interval = std::chrono::seconds(10 + data[1] * 30);
  egress::address_policy const policy;
  auto const got = checks::parse_check(
      {&checks::check_types[data[0] % checks::check_types.size()], target, interval, &json->get_object()}, &policy);
  if (!got) {
    check(!got.error().details.empty(), "a refusal says where");
    for (auto const& each : got.error().details) {
      check(each.field.starts_with("/target") || each.field.starts_with("/config"), "a place in the monitor");
      check(!each.message.empty(), "and why");
    }
    return 0;
  }
  check(got->timeout >= std::chrono::seconds(1) && got->timeout <= std::chrono::seconds(60), "a bounded attempt");
  check(got->longest() * 10 <= std::chrono::milliseconds(interval) * 8, "a check ends before the next one");
  for (auto const& name : got->variables()) check(!name.empty() && name.size() <= 64, "a name of a variable");
  return 0;
}
