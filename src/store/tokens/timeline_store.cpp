#include "svc/store/tokens/timeline_store.hpp"

#include <utility>

namespace svc::store {

namespace {

/// Once for each session: a plan would not be used again.
constexpr postgres::statement begin_timeline{"timeline_begin", "SELECT begin_timeline($1, $2)", true};

}  // namespace

void begin_timelines(postgres::settings& settings, std::function<void(std::int64_t)> begun) {
  settings.entry = {.ask = begin_timeline, .entered = std::move(begun)};
}

}  // namespace svc::store
