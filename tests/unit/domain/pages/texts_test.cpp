// Plural rules, dates and numbers of the ten languages.
#include "domain/pages/clock.hpp"
#include "unit/domain/pages/sample_page.hpp"

#include <doctest/doctest.h>

using namespace svc;
using namespace svc::pages;
using namespace svc::test;

namespace {

constexpr page_language languages[] = {page_language::de, page_language::en, page_language::es, page_language::fr,
                                       page_language::it, page_language::ja, page_language::nl, page_language::pl,
                                       page_language::pt, page_language::zh};

std::string days_in(page_language language, std::uint64_t count) {
  auto const& texts = texts_of(language);
  return texts.days(texts.rule, count);
}

}  // namespace

TEST_CASE("Polish has three forms of a number") {
  auto const form = [](std::uint64_t number) { return form_of(plural_rule::one_few_many, number); };
  for (std::uint64_t const number : {1U}) CHECK(form(number) == 0);
  for (std::uint64_t const number : {2U, 3U, 4U, 22U, 23U, 24U, 32U, 102U, 104U, 1002U}) {
    CAPTURE(number);
    CHECK(form(number) == 1);
  }
  for (std::uint64_t const number :
       {0U, 5U, 6U, 9U, 10U, 11U, 12U, 13U, 14U, 15U, 20U, 21U, 25U, 31U, 101U, 111U, 112U, 114U, 1012U}) {
    CAPTURE(number);
    CHECK(form(number) == 2);
  }
  auto const& texts = texts_of(page_language::pl);
  CHECK(texts.in_hours(texts.rule, 1) == "za 1 godzinę");
  CHECK(texts.in_hours(texts.rule, 3) == "za 3 godziny");
  CHECK(texts.in_hours(texts.rule, 12) == "za 12 godzin");
  CHECK(texts.in_hours(texts.rule, 22) == "za 22 godziny");
}

TEST_CASE("each language writes numbers of days by its rule") {
  struct {
    page_language language;
    std::string_view none, single, two;
  } const rows[] = {
      {page_language::de, "0 Tage", "1 Tag", "2 Tage"},        {page_language::en, "0 days", "1 day", "2 days"},
      {page_language::es, "0 días", "1 día", "2 días"},        {page_language::fr, "0 jour", "1 jour", "2 jours"},
      {page_language::it, "0 giorni", "1 giorno", "2 giorni"}, {page_language::ja, "0日", "1日", "2日"},
      {page_language::nl, "0 dagen", "1 dag", "2 dagen"},      {page_language::pl, "0 dni", "1 dzień", "2 dni"},
      {page_language::pt, "0 dia", "1 dia", "2 dias"},         {page_language::zh, "0 天", "1 天", "2 天"},
  };
  for (auto const& row : rows) {
    CAPTURE(to_text(row.language));
    CHECK(days_in(row.language, 0) == row.none);
    CHECK(days_in(row.language, 1) == row.single);
    CHECK(days_in(row.language, 2) == row.two);
  }
}

TEST_CASE("dates and numbers follow the language") {
  struct {
    page_language language;
    std::string_view moment, full, day, month, share;
  } const rows[] = {
      {page_language::de, "18. Nov., 08:05 UTC", "20. Nov. 2026, 17:22:04 UTC", "18. November", "November 2026",
       "99,872 %"},
      {page_language::en, "18 Nov, 08:05 UTC", "20 Nov 2026, 17:22:04 UTC", "18 November", "November 2026",
       "99.872 %"},
      {page_language::es, "18 nov, 08:05 UTC", "20 nov 2026, 17:22:04 UTC", "18 de noviembre", "noviembre de 2026",
       "99,872 %"},
      {page_language::fr, "18 nov., 08:05 UTC", "20 nov. 2026, 17:22:04 UTC", "18 novembre", "novembre 2026",
       "99,872 %"},
      {page_language::it, "18 nov, 08:05 UTC", "20 nov 2026, 17:22:04 UTC", "18 novembre", "novembre 2026",
       "99,872%"},
      {page_language::ja, "11月18日 08:05 UTC", "2026年11月20日 17:22:04 UTC", "11月18日", "2026年11月", "99.872%"},
      {page_language::nl, "18 nov, 08:05 UTC", "20 nov 2026, 17:22:04 UTC", "18 november", "november 2026",
       "99,872%"},
      {page_language::pl, "18 lis, 08:05 UTC", "20 lis 2026, 17:22:04 UTC", "18 listopada", "listopad 2026",
       "99,872%"},
      {page_language::pt, "18 de nov., 08:05 UTC", "20 de nov. de 2026, 17:22:04 UTC", "18 de novembro",
       "novembro de 2026", "99,872%"},
      {page_language::zh, "11月18日 08:05 UTC", "2026年11月20日 17:22:04 UTC", "11月18日", "2026年11月", "99.872%"},
  };
  auto const earlier = *parse_rfc3339("2026-11-18T08:05:59Z");
  for (auto const& row : rows) {
    CAPTURE(to_text(row.language));
    auto const& texts = texts_of(row.language);
    page_clock const clock(texts, "UTC", sample_now);
    CHECK(clock.moment(earlier) == row.moment);
    CHECK(clock.full_moment(sample_now) == row.full);
    CHECK(clock.long_day(clock.day_of(earlier)) == row.day);
    CHECK(clock.month(month_of(clock.day_of(sample_now))) == row.month);
    CHECK(percentage(texts, 0.998'729) == row.share);
  }
}

TEST_CASE("times are in the page's zone, with the year where it differs") {
  auto const& texts = texts_of(page_language::en);
  page_clock const berlin(texts, "Europe/Berlin", sample_now);
  CHECK(berlin.moment(sample_now) == "18:22 CET");
  CHECK(berlin.moment(*parse_rfc3339("2026-07-01T22:30:00Z")) == "2 Jul, 00:30 CEST");
  CHECK(berlin.moment(*parse_rfc3339("2025-12-31T23:30:00Z")) == "1 Jan, 00:30 CET");
  CHECK(berlin.moment(*parse_rfc3339("2025-12-31T22:30:00Z")) == "31 Dec 2025, 23:30 CET");
  CHECK(berlin.zone_name() == "Europe/Berlin");
  page_clock const unknown(texts, "Mars/Olympus", sample_now);
  CHECK(unknown.moment(sample_now) == "17:22 UTC");
  CHECK(unknown.zone_name() == "UTC");
  CHECK(page_clock(texts, "America/Sao_Paulo", sample_now).moment(sample_now) == "14:22 UTC-03");
}

TEST_CASE("shares round down, so that an outage is never 100 %") {
  auto const& texts = texts_of(page_language::en);
  CHECK(percentage(texts, 1) == "100 %");
  CHECK(percentage(texts, 0.999'999'9) == "99.999 %");
  CHECK(percentage(texts, 0.5) == "50.000 %");
  CHECK(percentage(texts, 0) == "0.000 %");
  CHECK(percentage(texts, 2) == "100 %");
}

TEST_CASE("lengths have one or two units") {
  auto const& texts = texts_of(page_language::en);
  CHECK(duration(texts, -1) == "0 s");
  CHECK(duration(texts, 59) == "59 s");
  CHECK(duration(texts, 60) == "1 min");
  CHECK(duration(texts, 3599) == "59 min");
  CHECK(duration(texts, 3600 + 8 * 60) == "1 h 08 min");
  CHECK(wait(texts, std::chrono::seconds(1)) == "in 1 minute");
  CHECK(wait(texts, std::chrono::minutes(59)) == "in 59 minutes");
  CHECK(wait(texts, std::chrono::hours(2)) == "in 2 hours");
  CHECK(wait(texts, std::chrono::hours(25)) == "in 1 day");
}

TEST_CASE("each language has its own words and its own tag") {
  for (auto const language : languages) {
    CAPTURE(to_text(language));
    CHECK(page_language_of(to_text(language)) == language);
    for (auto const other : languages)
      if (other != language)
        CHECK(texts_of(language).all_operational.text() != texts_of(other).all_operational.text());
    auto snapshot = rich_snapshot();
    snapshot.page.language = language;
    auto const html = status_html({snapshot, sample_address(), sample_now});
    CHECK(html.find("<html lang=\"" + std::string(to_text(language)) + "\">") != std::string::npos);
    CHECK(html.find(texts_of(language).major_outage.text()) != std::string::npos);
    CHECK(html.find("{0}") == std::string::npos);
  }
  CHECK_FALSE(page_language_of("EN"));
}
