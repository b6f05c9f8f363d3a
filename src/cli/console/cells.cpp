#include "cli/console/show.hpp"

#include "cli/console/harmless.hpp"

#include <boost/json/serialize.hpp>

#include <algorithm>
#include <array>
#include <cstdio>
#include <ctime>

namespace svc::cli {
namespace {

template <class... Numbers>
std::string printed(char const* pattern, Numbers... numbers) {
  std::array<char, 64> out{};
  auto const size = std::snprintf(out.data(), out.size(), pattern, numbers...);
  return {out.data(), std::min(static_cast<std::size_t>(std::max(size, 0)), out.size() - 1)};
}

std::string in_local_time(timestamp t, char const* pattern) {
  auto const seconds = static_cast<std::time_t>(t.micros / 1'000'000);
  std::tm parts{};
  std::array<char, 64> out{};
  if (::localtime_r(&seconds, &parts) == nullptr) return to_rfc3339(t);
  return {out.data(), std::strftime(out.data(), out.size(), pattern, &parts)};
}

std::string element_text(boost::json::value const& element) {
  if (auto const* const text = element.if_string()) return std::string(*text);
  // As people write it: Boost.JSON has 99.5 as 9.95E1.
  if (auto const* const number = element.if_double()) return printed("%.10g", *number);
  auto const* const object = element.if_object();
  if (object == nullptr) return boost::json::serialize(element);
  for (auto const* const name : {"name", "title", "id"})
    if (auto const* const value = object->if_contains(name)) return element_text(*value);
  return boost::json::serialize(element);
}

std::string with_commas(boost::json::array const& list) {
  std::string out;
  for (auto const& element : list) out.append(out.empty() ? "" : ", ").append(element_text(element));
  return out.empty() ? "-" : out;
}

/// Tests of a run in a line: `smoke: passed, checkout: failed`.
std::string titled_results(boost::json::array const& tests) {
  std::string out;
  for (auto const& each : tests)
    if (auto const* const test = each.if_object())
      out.append(out.empty() ? "" : ", ")
          .append(text_of_member(*test, "title"))
          .append(": ")
          .append(text_of_member(*test, "status"));
  return out.empty() ? "-" : out;
}

/// Parameters of a run and the like: `BRANCH=main, REGION=eu`.
std::string pairs_text(boost::json::object const& object) {
  std::string out;
  for (auto const& [name, value] : object)
    out.append(out.empty() ? "" : ", ").append(name).append("=").append(element_text(value));
  return out.empty() ? "-" : out;
}

std::string kind_in_words(std::string_view kind) {
  constexpr std::string_view usual = "monitor_";
  if (kind.starts_with(usual)) kind.remove_prefix(usual.size());
  std::string out(kind);
  std::ranges::replace(out, '_', ' ');
  return out;
}

std::string text_for_people(boost::json::value const& value, cell cell) {
  auto const* const text = value.if_string();
  auto const number = value.is_number() ? value.to_number<double>() : 0.0;
  if (cell == cell::time && text != nullptr)
    if (auto const t = parse_rfc3339(*text)) return relative_time(*t, system_now());
  if (cell == cell::duration && value.is_number()) return short_duration(static_cast<std::int64_t>(number));
  if (cell == cell::seconds && value.is_number())
    return number < 60 ? element_text(value) + "s" : short_duration(static_cast<std::int64_t>(number * 1000));
  if (cell == cell::bytes && value.is_number()) return short_size(static_cast<std::uint64_t>(std::max(number, 0.0)));
  if (cell == cell::kind && text != nullptr) return kind_in_words(*text);
  if (cell == cell::status && text != nullptr) return status_in_words(*text);
  if (cell == cell::boolean && value.is_bool()) return value.get_bool() ? "yes" : "no";
  return element_text(value);
}

std::string one_line(std::string_view text) {
  std::string out;
  for (auto const& character : harmless(text)) character == '\t' ? out.append("\\t") : out.append(1, character);
  return out;
}

}  // namespace

std::string relative_time(timestamp t, timestamp now) {
  constexpr std::int64_t minute = 60, hour = 3600, day = 86400;
  auto const seconds = (now.micros - t.micros) / 1'000'000;
  auto const away = seconds < 0 ? -seconds : seconds;
  if (away > 60 * day) return in_local_time(t, "%Y-%m-%d");
  auto const count = away < minute ? away : away < hour ? away / minute : away < day ? away / hour : away / day;
  auto const* const unit = away < minute ? "s" : away < hour ? "m" : away < day ? "h" : "d";
  auto const span = std::to_string(count) + unit;
  return seconds < 0 ? "in " + span : span + " ago";
}

std::string local_time(timestamp t) {
  auto out = in_local_time(t, "%Y-%m-%dT%H:%M:%S%z");
  // strftime writes +0100, RFC 3339 +01:00.
  if (out.size() > 5 && (out[out.size() - 5] == '+' || out[out.size() - 5] == '-')) out.insert(out.size() - 2, ":");
  return out;
}

std::string short_duration(std::int64_t ms) {
  if (ms < 1000) return printed("%lldms", static_cast<long long>(ms));
  auto const seconds = static_cast<long long>(ms / 1000);
  if (seconds < 60) return printed("%lld.%llds", seconds, static_cast<long long>(ms % 1000 / 100));
  if (seconds < 3600) return printed("%lldm %02llds", seconds / 60, seconds % 60);
  return printed("%lldh %02lldm", seconds / 3600, seconds / 60 % 60);
}

std::string short_size(std::uint64_t bytes) {
  constexpr std::array<char const*, 6> units{"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  if (bytes < 1024) return std::to_string(bytes) + " B";
  auto amount = static_cast<double>(bytes) / 1024;
  std::size_t unit = 0;
  for (; amount >= 1023.95 && unit + 1 < units.size(); ++unit) amount /= 1024;
  return printed("%.1f %s", amount, units.at(unit));
}

std::string cell_text(boost::json::value const* value, cell cell, bool for_people) {
  if (value == nullptr || value->is_null()) return "-";
  if (cell == cell::results && value->is_array()) return one_line(titled_results(value->get_array()));
  if (auto const* const list = value->if_array()) return one_line(with_commas(*list));
  if (auto const* const object = value->if_object()) return one_line(pairs_text(*object));
  return one_line(for_people ? text_for_people(*value, cell) : element_text(*value));
}

std::string status_in_words(std::string_view status) {
  std::string out(status);
  std::ranges::replace(out, '_', ' ');
  return out;
}

std::string_view colour_of(std::string_view status) {
  constexpr std::string_view green = "\x1b[32m", red = "\x1b[31m", yellow = "\x1b[33m", blue = "\x1b[34m";
  auto const is_any = [word = status_in_words(status)](std::initializer_list<std::string_view> words) {
    return std::ranges::find(words, word) != words.end();
  };
  if (is_any({"passed", "ok", "up", "sent", "operational", "resolved", "published"})) return green;
  if (is_any({"failed", "error", "timed out", "down", "timeout", "major outage", "partial outage"})) return red;
  if (is_any({"running", "under maintenance"})) return blue;
  if (is_any({"queued", "cancelled", "pending", "degraded", "degraded performance"})) return yellow;
  return {};
}

}  // namespace svc::cli
