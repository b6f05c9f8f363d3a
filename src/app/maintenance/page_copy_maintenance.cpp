#include "app/maintenance/page_copy_maintenance.hpp"

#include "svc/core/log.hpp"
#include "svc/core/result.hpp"

#include <algorithm>
#include <chrono>
#include <exception>
#include <vector>

namespace svc::app {
namespace {

/// The interval at which an instance looks whether the hourly work is free.
constexpr std::chrono::seconds page_copy_interval{60};
constexpr std::chrono::seconds page_copy_patience{5};
constexpr milliseconds page_slot_pause{50};
constexpr int pages_of_batch = 100;

deadline page_copy_deadline() {
  return deadline::after(page_copy_patience);
}

}  // namespace

void page_copy_maintenance::start() {
  loop_ = parts_.loops.start("page_copies", page_copy_interval, this, &page_copy_maintenance::look);
}

task<> page_copy_maintenance::look() {
  if (!co_await copies_.take_refresh(page_copy_deadline())) co_return;
  std::exception_ptr failure;
  try {
    co_await refresh();
    co_await remove_old();
  } catch (std::exception const&) {
    failure = std::current_exception();
  }
  if (!failure) co_return;
  co_await copies_.give_back_refresh(page_copy_deadline());
  std::rethrow_exception(failure);
}

/// More pages than copies would push out those that people view, so only the first ones are refreshed then.
task<> page_copy_maintenance::refresh() {
  uuid after{};
  for (int left = parts_.most; left > 0 && parts_.loops.goes_on();) {
    auto const batch = co_await parts_.source.published(after, std::min(left, pages_of_batch), page_copy_deadline());
    for (auto const& id : batch) {
      if (!parts_.loops.goes_on()) co_return;
      co_await try_refresh_page(id);
    }
    if (batch.empty()) co_return;
    after = batch.back();
    left -= static_cast<int>(batch.size());
    co_await between_batches(*loop_);
  }
}

/// A page that fails for a reason of its own does not keep the others from their copies.
task<> page_copy_maintenance::try_refresh_page(uuid id) {
  try {
    co_await refresh_page(id);
  } catch (unavailable const&) {
    throw;
  } catch (std::exception const& e) {
    log::error("the copy of a status page could not be refreshed", {{"page", id.to_string()}, {"why", e.what()}});
  }
}

task<> page_copy_maintenance::refresh_page(uuid id) {
  steady_timer pause(parts_.loops.io);
  auto slot = parts_.slots.take(id);
  while (!slot && parts_.loops.goes_on()) {
    pause.expires_after(page_slot_pause);
    co_await pause.async_wait(awaiting);
    slot = parts_.slots.take(id);
  }
  auto page = co_await parts_.source.build(id, page_copy_deadline());
  if (page) co_await copies_.put(std::move(page), page_copy_deadline());
}

/// A page that was archived while nobody viewed it still has its copy.
task<> page_copy_maintenance::remove_old() {
  auto const kept = co_await copies_.ids(page_copy_deadline());
  for (auto const& id : kept) {
    if (!parts_.loops.goes_on()) co_return;
    auto const version = co_await parts_.source.version(id, page_copy_deadline());
    if (!version.number) co_await copies_.remove(id, page_copy_deadline());
  }
}

}  // namespace svc::app
