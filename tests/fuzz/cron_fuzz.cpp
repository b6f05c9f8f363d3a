// The first line is a time zone, the rest a schedule: any bytes are a schedule or not, and its next times ascend and
// are whole minutes.
#include "check.hpp"
#include "svc/domain/cron.hpp"

#include <cstdint>

using namespace svc;

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  auto const text = text_of(data, size);
  auto const end = text.find('\n');
  if (end == std::string_view::npos) return 0;
  auto const zone = text.substr(0, end);
  auto const schedule = cron_schedule::parse(text.substr(end + 1));
  auto const known = is_time_zone(zone);
  if (!schedule) return 0;
  constexpr std::int64_t second = 1'000'000;
  // A start that depends on the input, between 2020 and 2052.
  timestamp time{(1'577'836'800 + static_cast<std::int64_t>(size * 2'654'435'761U % 1'000'000'000U)) * second};
  for (int i = 0; i < 3; ++i) {
    auto const next = schedule->next_after(time, zone);
    check(known || !next, "no moment in a zone that is not known");
    if (!next) return 0;
    check(*next > time, "later than before");
    check(next->micros % (60 * second) == 0, "on a whole minute");
    time = *next;
  }
  return 0;
}
