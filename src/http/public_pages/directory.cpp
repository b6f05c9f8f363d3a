#include "http/public_pages/directory.hpp"

#include "http/public_pages/copy_form.hpp"
#include "svc/core/log.hpp"
#include "svc/core/result.hpp"
#include "svc/core/spawn_task.hpp"

#include <exception>
#include <utility>

namespace svc::public_pages {
namespace {

constexpr milliseconds name_patience{2000};
constexpr milliseconds name_copy_patience{300};

}  // namespace

task<std::optional<located_page>> directory::find(page_name name, deadline until) {
  auto const known = remembered(name);
  if (known && known->fresh) co_return known->page;
  if (!parts_.health.away(steady::now())) {
    auto const flight = join(name);
    co_await flights::wait(flight, until);
    if (flight->done && flight->outcome.answered) co_return flight->outcome.page;
  }
  // The last known answer is better than none while the database is lost.
  if (known && known->page) co_return known->page;
  co_return co_await find_copy(std::move(name), until);
}

bool directory::is_asked(page_name const& name) const {
  return flights_.find(name_in_redis(name)) != nullptr;
}

void directory::refresh(page_name const& name) {
  if (!parts_.health.away(steady::now())) join(name);
}

directory::flights::flight_ptr directory::join(page_name const& name) {
  auto const key = name_in_redis(name);
  auto flight = flights_.find(key);
  if (flight) return flight;
  flight = flights_.lead(key);
  spawn_task(parts_.io, fly(name, flight));
  return flight;
}

task<> directory::fly(page_name name, flights::flight_ptr flight) {
  auto const asked = steady::now();
  try {
    flight->outcome.page = co_await parts_.source.find(name, deadline::after(name_patience));
    flight->outcome.answered = true;
    parts_.health.answered();
    names_.keep(name, flight->outcome.page, asked);
  } catch (unavailable const&) {
    parts_.health.failed(steady::now());
  } catch (std::exception const& bug) {
    log::error("a status page could not be found", {{"reason", bug.what()}});
  }
  flights_.remove(name_in_redis(name), flight);
  flights::complete(flight);
}

task<std::optional<located_page>> directory::find_copy(page_name name, deadline until) {
  if (name.kind == name_kind::id) co_return located_page{.id = uuid::parse(name.text).value_or(uuid())};
  auto const copy = co_await parts_.copies.find(name, until.within(name_copy_patience));
  if (!copy.value) throw unavailable("no store has the status page");
  names_.keep(name, located_page{.id = *copy.value}, steady::now());
  co_return located_page{.id = *copy.value};
}

}  // namespace svc::public_pages
