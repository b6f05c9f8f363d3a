#include "svc/core/time.hpp"

#include <array>
#include <cstring>
#include <ctime>

namespace svc {
namespace {

using sys_micros = std::chrono::sys_time<std::chrono::microseconds>;

struct civil {
  std::chrono::year_month_day day;
  std::int64_t micros_of_day;
};

civil split(timestamp t) {
  sys_micros const point{std::chrono::microseconds(t.micros)};
  auto const day = std::chrono::floor<std::chrono::days>(point);
  return {std::chrono::year_month_day(day), (point - day).count()};
}

constexpr auto make_pairs() {
  std::array<char, 200> pairs{};
  for (std::size_t i = 0; i < 100; ++i) {
    pairs[2 * i] = static_cast<char>('0' + i / 10);
    pairs[2 * i + 1] = static_cast<char>('0' + i % 10);
  }
  return pairs;
}

/// "00" to "99".
constexpr auto pairs = make_pairs();

/// Not printf: each log line holds a time, and each row of a list three.
void put_pair(char* out, unsigned value) {
  std::memcpy(out, pairs.data() + 2 * static_cast<std::size_t>(value % 100), 2);
}

/// Reads exactly `count` digits at `position`; -1 when there are not that many.
int digits(std::string_view text, std::size_t position, std::size_t count) {
  if (position + count > text.size()) return -1;
  int value = 0;
  for (char c : text.substr(position, count)) {
    if (c < '0' || c > '9') return -1;
    value = value * 10 + (c - '0');
  }
  return value;
}

/// The fraction after the seconds; moves `position` past it. Digits beyond microseconds are dropped.
std::optional<std::int64_t> fraction(std::string_view text, std::size_t& position) {
  if (position >= text.size() || text[position] != '.') return 0;
  std::int64_t micros = 0;
  int count = 0;
  for (++position; position < text.size() && text[position] >= '0' && text[position] <= '9'; ++position, ++count) {
    if (count < 6) micros = micros * 10 + (text[position] - '0');
  }
  if (count == 0 || count > 18) return std::nullopt;
  for (; count < 6; ++count) micros *= 10;
  return micros;
}

/// Minutes east of UTC; `position` must be at the offset, which must end the text.
std::optional<int> offset_minutes(std::string_view text, std::size_t position) {
  if (position + 1 == text.size() && (text[position] == 'Z' || text[position] == 'z')) return 0;
  if (position + 6 != text.size() || (text[position] != '+' && text[position] != '-') || text[position + 3] != ':')
    return std::nullopt;
  int const hours = digits(text, position + 1, 2);
  int const minutes = digits(text, position + 4, 2);
  if (hours < 0 || hours > 23 || minutes < 0 || minutes > 59) return std::nullopt;
  return (text[position] == '-' ? -1 : 1) * (hours * 60 + minutes);
}

}  // namespace

char* write_rfc3339(char* out, timestamp t) {
  auto const [day, micros] = split(t);
  auto const millis = static_cast<unsigned>(micros / 1000);
  auto const year = static_cast<unsigned>(static_cast<int>(day.year()));
  std::memcpy(out, "0000-00-00T00:00:00.000Z", rfc3339_size);
  put_pair(out, year / 100);
  put_pair(out + 2, year);
  put_pair(out + 5, static_cast<unsigned>(day.month()));
  put_pair(out + 8, static_cast<unsigned>(day.day()));
  put_pair(out + 11, millis / 3600000);
  put_pair(out + 14, millis / 60000 % 60);
  put_pair(out + 17, millis / 1000 % 60);
  put_pair(out + 20, millis % 1000 / 10);
  out[22] = static_cast<char>('0' + millis % 10);
  return out + rfc3339_size;
}

std::string to_rfc3339(timestamp t) {
  std::string text(rfc3339_size, '\0');
  write_rfc3339(text.data(), t);
  return text;
}

std::optional<timestamp> parse_rfc3339(std::string_view text) {
  if (text.size() < 20 || text[4] != '-' || text[7] != '-' || (text[10] != 'T' && text[10] != 't') ||
      text[13] != ':' || text[16] != ':') {
    return std::nullopt;
  }
  int const year = digits(text, 0, 4), month = digits(text, 5, 2), day = digits(text, 8, 2);
  int const hour = digits(text, 11, 2), minute = digits(text, 14, 2), second = digits(text, 17, 2);
  if (year < 0 || month < 0 || day < 0 || hour < 0 || minute < 0 || second < 0) return std::nullopt;
  if (hour > 23 || minute > 59 || second > 59) return std::nullopt;
  std::chrono::year_month_day const date{std::chrono::year(year), std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day))};
  if (!date.ok()) return std::nullopt;
  std::size_t position = 19;
  auto const micros = fraction(text, position);
  if (!micros || position >= text.size()) return std::nullopt;
  auto const offset = offset_minutes(text, position);
  if (!offset) return std::nullopt;
  auto const days = std::chrono::sys_days(date).time_since_epoch().count();
  std::int64_t const seconds = std::int64_t{days} * 86400 + hour * 3600 + minute * 60 + second - *offset * 60;
  return timestamp{seconds * 1'000'000 + *micros};
}

std::string to_http_date(timestamp t) {
  std::time_t const seconds = t.micros / 1'000'000;
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  std::array<char, 32> text{};
  return {text.data(), std::strftime(text.data(), text.size(), "%a, %d %b %Y %H:%M:%S GMT", &parts)};
}

std::string_view http_date_now() {
  thread_local std::time_t cached = 0;
  thread_local std::string text;
  std::time_t const now = std::time(nullptr);
  if (now != cached) {
    text = to_http_date({now * 1'000'000});
    cached = now;
  }
  return text;
}

timestamp system_now() {
  auto const since_epoch = std::chrono::system_clock::now().time_since_epoch();
  return {std::chrono::duration_cast<std::chrono::microseconds>(since_epoch).count()};
}

}  // namespace svc
