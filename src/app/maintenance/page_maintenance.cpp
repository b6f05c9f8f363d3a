#include "app/maintenance/page_maintenance.hpp"

#include <algorithm>
#include <chrono>

namespace svc::app {
namespace {

constexpr std::chrono::seconds announcement_interval{5}, outage_interval{15}, day_interval{60},
    page_drop_interval{60};
constexpr std::chrono::seconds page_patience{10};
/// Midnight makes many components due at once. A round has at most twenty of them.
constexpr int most_day_rounds = 50;
/// A bound of the remembered ids; beyond it all are treated alike again.
constexpr std::size_t most_failed_pages = 1000;

}  // namespace

void page_maintenance::start() {
  parts_.pages.when_changed([this](std::vector<changed_thing> const& changes) { parts_.feed.note(changes); });
  auto const& loops = parts_.loops;
  loops.start("page_announcements", announcement_interval, this, &page_maintenance::announce_due);
  loops.start("page_outages", outage_interval, this, &page_maintenance::follow_outages);
  loops.start("page_days", day_interval, this, &page_maintenance::store_days);
  loops.start("deleted_pages", page_drop_interval, this, &page_maintenance::drop_old);
}

task<> page_maintenance::take_each(std::vector<uuid> due, std::set<uuid>& failed, step step) {
  std::ranges::partition(due, [&](uuid id) { return !failed.contains(id); });
  if (due.empty() || failed.size() > most_failed_pages) failed.clear();
  for (uuid const id : due) {
    if (!parts_.loops.goes_on()) co_return;
    failed.insert(id);
    co_await (parts_.pages.*step)(id, deadline::after(page_patience));
    failed.erase(id);
  }
}

task<> page_maintenance::announce_due() {
  auto due = co_await parts_.pages.announcing_projects(deadline::after(page_patience));
  co_await take_each(std::move(due), failed_projects_, &store::page_maintenance_store::announce);
}

task<> page_maintenance::store_days() {
  for (int round = 0; round < most_day_rounds && parts_.loops.goes_on(); ++round) {
    auto due = co_await parts_.pages.components_due(deadline::after(page_patience));
    bool const more = static_cast<std::int64_t>(due.size()) == store::page_maintenance_store::most_at_once;
    co_await take_each(std::move(due), failed_components_, &store::page_maintenance_store::store_days);
    if (!more) co_return;
  }
}

task<> page_maintenance::follow_outages() {
  std::vector<uuid> all;
  for (uuid after{};;) {
    auto const batch = co_await parts_.pages.automatic_pages(after, deadline::after(page_patience));
    all.insert(all.end(), batch.begin(), batch.end());
    if (static_cast<std::int64_t>(batch.size()) < store::page_maintenance_store::most_at_once) break;
    after = batch.back();
  }
  co_await take_each(std::move(all), failed_pages_, &store::page_maintenance_store::follow_outages);
}

/// One batch each minute at least; more of them while there is more to delete.
task<> page_maintenance::drop_old() {
  while (parts_.loops.goes_on() && co_await parts_.pages.drop_old(deadline::after(page_patience))) {
  }
}

}  // namespace svc::app
