// Prints what a year of a monitor's checks looks like when it is packed, for COPY: a line `hour` for each hour and
// variant, a line `day` for each day and variant, with the columns of check_hours and check_days behind the ids.
//
// usage: bench_check_samples FIRST_HOUR LAST_HOUR FIRST_DAY LAST_DAY VARIANTS    (since 1970; a check each 60 s)

#include "svc/domain/monitoring/checks/packed_hour.hpp"

#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

namespace svc::bench {
namespace {

constexpr std::int64_t minute_ms = 60'000, hour_ms = 60 * minute_ms;
constexpr int checks_of_day = 24 * 60;

std::mt19937_64 dice(1);

/// As of a target over the internet: most within a few ms of each other, some far slower.
checks::kept_result some_result(std::int64_t slot) {
  std::lognormal_distribution<double> first_byte(4.2, 0.25);
  std::uniform_int_distribution<std::uint32_t> few(0, 3);
  checks::kept_result out{.slot = slot, .started_ms = slot + few(dice) * 5};
  out.status_code = 200;
  out.phases = {few(dice), 18 + few(dice), 21 + few(dice), static_cast<std::uint32_t>(first_byte(dice)), few(dice)};
  auto const& p = out.phases;
  out.response_time_ms = *p.dns_ms + *p.connect_ms + *p.tls_ms + *p.first_byte_ms + *p.transfer_ms;
  return out;
}

std::string hex(byte_vector const& bytes) {
  std::string out = "\\\\x";
  for (auto const byte : bytes) {
    char digits[3];
    std::snprintf(digits, sizeof digits, "%02x", static_cast<unsigned>(byte));
    out += digits;
  }
  return out;
}

void print_row(char const* kind, long position, int variant, checks::summary const& summary,
               std::string const& more) {
  std::printf("%s\t%ld\t%d\t%llu\t%llu\t%llu\t%llu\t%llu\t%u\t%u\t%s%s\n", kind, position, variant,
              static_cast<unsigned long long>(summary.checks), static_cast<unsigned long long>(summary.up),
              static_cast<unsigned long long>(summary.down), static_cast<unsigned long long>(summary.up * 60),
              static_cast<unsigned long long>(summary.sum_ms), summary.min_ms.value_or(0), summary.max_ms.value_or(0),
              hex(summary.times.packed()).c_str(), more.c_str());
}

void print_hour(long hour, int variant) {
  std::vector<checks::kept_result> results;
  checks::summary sum;
  for (int i = 0; i < 60; ++i) {
    results.push_back(some_result(hour * hour_ms + i * minute_ms + variant * 777));
    sum.add(results.back());
  }
  print_row("hour", hour, variant, sum, '\t' + hex(checks::packed(results)));
}

void print_day(long day, int variant) {
  checks::summary sum;
  for (int i = 0; i < checks_of_day; ++i) sum.add(some_result(day * 24 * hour_ms + i * minute_ms));
  print_row("day", day, variant, sum, "\t\\N");
}

}  // namespace
}  // namespace svc::bench

int main(int argc, char** argv) {
  if (argc != 6) {
    std::fputs("usage: bench_check_samples FIRST_HOUR LAST_HOUR FIRST_DAY LAST_DAY VARIANTS\n", stderr);
    return 2;
  }
  auto const given = [&](int i) { return std::strtol(argv[i], nullptr, 10); };
  for (long variant = 0; variant < given(5); ++variant) {
    for (long hour = given(1); hour <= given(2); ++hour) svc::bench::print_hour(hour, static_cast<int>(variant));
    for (long day = given(3); day <= given(4); ++day) svc::bench::print_day(day, static_cast<int>(variant));
  }
}
