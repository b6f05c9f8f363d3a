#pragma once

#include "domain/pages/languages/texts.hpp"
#include "svc/core/time.hpp"

#include <chrono>
#include <string>
#include <string_view>

namespace date {
class time_zone;
}

namespace svc::pages {

/// Writes times in a page's zone and language. Refers to a table of texts, and belongs to one rendering.
class page_clock {
 public:
  /// An unknown zone is UTC. `now` decides which times need no day or no year.
  page_clock(page_texts const& texts, std::string_view zone, timestamp now);

  timestamp now() const { return now_; }
  /// Returns the local day, in days since 1970-01-01.
  std::int64_t day_of(timestamp moment) const;
  std::string_view zone_name() const { return zone_name_; }

  /// `17:19 UTC` on the day of `now`, otherwise `18 Nov, 17:19 UTC`.
  std::string moment(timestamp moment) const;
  /// `20 Nov 2026, 17:22:04 UTC`.
  std::string full_moment(timestamp moment) const;
  /// `20 November 2026, 17:22 UTC`.
  std::string long_moment(timestamp moment) const;
  /// `18 Nov`, with the year if it is not that of `now`.
  std::string short_day(std::int64_t day) const;
  /// `18 November`, with the year if it is not that of `now`.
  std::string long_day(std::int64_t day) const;
  /// `November 2026`.
  std::string month(std::chrono::year_month month) const;

 private:
  struct local_moment {
    std::int64_t day;
    std::chrono::seconds of_day;
    std::string zone;
  };
  local_moment local(timestamp moment) const;
  std::string day_in(std::int64_t day, bool full, bool always_year) const;

  page_texts const* texts_;
  std::string zone_name_;
  date::time_zone const* zone_;
  timestamp now_;
  std::int64_t today_ = 0;
};

/// Returns the month of a local day.
std::chrono::year_month month_of(std::int64_t day);

/// `41 s`, `15 min` or `1 h 08 min`.
std::string duration(page_texts const& texts, std::int64_t seconds);
/// `99.872 %`, rounded down, or `100 %`. The share is 0 to 1.
std::string percentage(page_texts const& texts, double share);
/// `in 1 day`, `in 3 hours` or `in 5 minutes`.
std::string wait(page_texts const& texts, std::chrono::microseconds length);

}  // namespace svc::pages
