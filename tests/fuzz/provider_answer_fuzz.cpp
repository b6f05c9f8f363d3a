// The first byte is the provider's type, the next two the status; then a name and a value for each of three lines,
// and the body. Any answer means something, and asks for no more than an hour.
#include "check.hpp"
#include "svc/monitoring/notifications/schedule.hpp"

#include <algorithm>
#include <cstdint>
#include <string_view>

using namespace svc;

namespace {

std::string_view take_line(std::string_view& rest) {
  auto const line = rest.substr(0, rest.find('\n'));
  rest.remove_prefix(std::min(rest.size(), line.size() + 1));
  return line;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  if (size < 3) return 0;
  auto const type = static_cast<notifications::provider_type>(data[0] % notifications::provider_type_count);
  int const status = 100 + (data[1] * 256 + data[2]) % 500;
  auto rest = text_of(data + 3, size - 3);
  std::vector<std::pair<std::string, std::string>> fields;
  for (int i = 0; i < 3; ++i) {
    auto const line = take_line(rest);
    auto const colon = std::min(line.find(':'), line.size());
    fields.emplace_back(line.substr(0, colon), line.substr(std::min(line.size(), colon + 1)));
  }
  auto const got = notifications::read_answer(type, status, fields, rest, {1'795'000'000'000'000});
  check(got.state != notifications::fate::taken || (status >= 200 && status < 300), "only 2xx is taken");
  check((got.state == notifications::fate::taken) == (got.cause == notifications::reason::delivered),
        "and only that is delivered");
  check(!got.gone || status == 410, "only 410 is gone");
  check(got.not_before >= milliseconds(0) && got.not_before <= std::chrono::hours(1), "an hour at most");
  auto const pause = notifications::pause_after(1, got, 0.5);
  check(pause && *pause >= got.not_before, "never earlier than asked for");
  return 0;
}
