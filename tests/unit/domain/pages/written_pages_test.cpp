// TEST_PAGES=DIRECTORY writes all pages there, in all languages, for a look at them in a browser.
#include "unit/domain/pages/sample_page.hpp"

#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

using namespace svc;
using namespace svc::pages;
using namespace svc::test;

namespace {

void write_file(std::filesystem::path const& path, std::string const& content) {
  std::ofstream file(path, std::ios::binary);
  file << content;
  REQUIRE(file.good());
}

void write_formats(std::filesystem::path const& folder, page_view const& view) {
  std::filesystem::create_directories(folder);
  write_file(folder / "status.html", status_html(view));
  write_file(folder / "stale.html", status_html({view.snapshot, view.address, view.now + std::chrono::minutes(43)}));
  write_file(folder / "history.html", history_html(view, current_month(view)));
  for (auto const& each : view.snapshot.incidents)
    write_file(folder / "incident.html", *incident_html(view, each.id));
  for (auto const& each : view.snapshot.maintenance)
    write_file(folder / "maintenance.html", *maintenance_html(view, each.id));
  for (int step = 0; step <= static_cast<int>(subscription_step::link_over); ++step)
    write_file(folder / ("subscription-" + std::to_string(step) + ".html"),
               subscription_html(view, static_cast<subscription_step>(step), "TOKEN"));
  write_file(folder / "rss.xml", rss_feed(view));
  write_file(folder / "feed.json", json_feed(view));
  write_file(folder / "calendar.ics", calendar(view));
  write_file(folder / "badge.svg", badge_svg(view));
  write_file(folder / "summary.json", summary_json(view));
  auto const mail = confirmation_mail(view, "TOKEN");
  write_file(folder / "confirmation.txt", mail.subject + "\n\n" + mail.text);
  write_file(folder / "policy.txt", html_policy(view.address, view.snapshot.page.visible) + "\n");
}

}  // namespace

TEST_CASE("each page of each kind is written in each language") {
  auto const* const directory = std::getenv("TEST_PAGES");
  if (directory == nullptr) return;
  auto huge = huge_snapshot();
  bound_snapshot(huge);
  auto hostile = with_text(rich_snapshot(), "\"><script>alert(1)</script>");
  std::pair<std::string_view, page_snapshot> snapshots[] = {
      {"rich", rich_snapshot()}, {"empty", empty_snapshot()}, {"huge", huge}, {"hostile", hostile}};
  for (auto& [name, snapshot] : snapshots)
    for (std::size_t i = 0; i < language_count; ++i) {
      snapshot.page.language = static_cast<page_language>(i);
      auto const folder = std::filesystem::path(directory) / name / to_text(snapshot.page.language);
      write_formats(folder, {snapshot, sample_address(), sample_now});
    }
  write_file(std::filesystem::path(directory) / "missing.html", missing_html());
  write_file(std::filesystem::path(directory) / "unavailable.html", unavailable_html());
  write_file(std::filesystem::path(directory) / "limited.html", limited_html());
  write_file(std::filesystem::path(directory) / "refused.html", refused_html());
}
