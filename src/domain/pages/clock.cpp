#include "domain/pages/clock.hpp"

#include "svc/domain/cron.hpp"

#include <date/tz.h>

#include <algorithm>
#include <cmath>

namespace svc::pages {
namespace {

std::string two_digits(std::int64_t number) {
  auto text = std::to_string(number);
  return text.size() < 2 ? "0" + text : text;
}

std::string clock_text(std::chrono::seconds of_day, bool with_seconds) {
  auto const all = of_day.count();
  auto out = two_digits(all / 3600) + ":" + two_digits(all / 60 % 60);
  return with_seconds ? out + ":" + two_digits(all % 60) : out;
}

std::chrono::year_month_day civil_day(std::int64_t day) {
  return std::chrono::year_month_day(std::chrono::sys_days(std::chrono::days(day)));
}

/// Zones without letters have numbers as abbreviations, for example `+03`.
std::string zone_mark(std::string const& abbreviation) {
  return abbreviation.starts_with('+') || abbreviation.starts_with('-') ? "UTC" + abbreviation : abbreviation;
}

}  // namespace

page_clock::page_clock(page_texts const& texts, std::string_view zone, timestamp now)
    : texts_(&texts), zone_name_("UTC"), zone_(nullptr), now_(now) {
  if (zone != "UTC" && is_time_zone(zone)) {
    zone_ = date::locate_zone(std::string(zone));
    zone_name_ = zone;
  }
  today_ = day_of(now);
}

page_clock::local_moment page_clock::local(timestamp moment) const {
  std::chrono::sys_time<std::chrono::microseconds> const exact{std::chrono::microseconds(moment.micros)};
  auto shown = std::chrono::floor<std::chrono::seconds>(exact);
  std::string mark = "UTC";
  if (zone_ != nullptr) {
    auto const info = zone_->get_info(date::sys_seconds(shown.time_since_epoch()));
    mark = zone_mark(info.abbrev);
    shown += info.offset;
  }
  auto const day = std::chrono::floor<std::chrono::days>(shown);
  return {day.time_since_epoch().count(), shown - day, std::move(mark)};
}

std::int64_t page_clock::day_of(timestamp moment) const {
  return local(moment).day;
}

std::string page_clock::day_in(std::int64_t day, bool full, bool always_year) const {
  auto const date = civil_day(day);
  auto const month = static_cast<unsigned>(date.month()) - 1;
  auto const number = std::to_string(static_cast<unsigned>(date.day()));
  auto const year = std::to_string(static_cast<int>(date.year()));
  auto const name = full ? texts_->months.at(month).text() : texts_->short_months.at(month).text();
  bool const with_year = always_year || date.year() != civil_day(today_).year();
  if (full) return with_year ? texts_->long_date(number, name, year) : texts_->long_day(number, name);
  return with_year ? texts_->short_date(number, name, year) : texts_->short_day(number, name);
}

std::string page_clock::moment(timestamp moment) const {
  auto const shown = local(moment);
  auto const time = clock_text(shown.of_day, false) + " " + shown.zone;
  return shown.day == today_ ? time : texts_->date_and_time(day_in(shown.day, false, false), time);
}

std::string page_clock::full_moment(timestamp moment) const {
  auto const shown = local(moment);
  return texts_->date_and_time(day_in(shown.day, false, true), clock_text(shown.of_day, true) + " " + shown.zone);
}

std::string page_clock::long_moment(timestamp moment) const {
  auto const shown = local(moment);
  return texts_->date_and_time(day_in(shown.day, true, true), clock_text(shown.of_day, false) + " " + shown.zone);
}

std::string page_clock::short_day(std::int64_t day) const {
  return day_in(day, false, false);
}

std::string page_clock::long_day(std::int64_t day) const {
  return day_in(day, true, false);
}

std::string page_clock::month(std::chrono::year_month month) const {
  auto const name = texts_->lone_months.at(static_cast<unsigned>(month.month()) - 1).text();
  return texts_->month_and_year(name, std::to_string(static_cast<int>(month.year())));
}

std::chrono::year_month month_of(std::int64_t day) {
  auto const date = civil_day(day);
  return date.year() / date.month();
}

std::string duration(page_texts const& texts, std::int64_t seconds) {
  if (seconds < 60) return texts.seconds(std::to_string(std::max<std::int64_t>(seconds, 0)));
  if (seconds < 3600) return texts.minutes(std::to_string(seconds / 60));
  return texts.hours(std::to_string(seconds / 3600)) + " " + texts.minutes(two_digits(seconds / 60 % 60));
}

std::string percentage(page_texts const& texts, double share) {
  auto const thousandths = static_cast<std::int64_t>(std::floor(std::clamp(share, 0.0, 1.0) * 100'000));
  if (thousandths == 100'000) return texts.percent("100");
  auto const fraction = std::to_string(1000 + thousandths % 1000).substr(1);
  return texts.percent(std::to_string(thousandths / 1000).append(texts.decimal_mark.text()).append(fraction));
}

std::string wait(page_texts const& texts, std::chrono::microseconds length) {
  auto const minutes = std::max<std::int64_t>(std::chrono::floor<std::chrono::minutes>(length).count(), 1);
  auto const number = [](std::int64_t count) { return static_cast<std::uint64_t>(count); };
  if (minutes >= 24 * 60) return texts.in_days(texts.rule, number(minutes / (24 * 60)));
  if (minutes >= 60) return texts.in_hours(texts.rule, number(minutes / 60));
  return texts.in_minutes(texts.rule, number(minutes));
}

}  // namespace svc::pages
