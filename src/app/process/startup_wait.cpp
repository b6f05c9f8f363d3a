#include "app/process/startup_wait.hpp"

#include "svc/core/log.hpp"

#include <algorithm>

namespace svc::app {

std::string waiting_sentence(std::vector<missing_stores> const& workers, std::string_view redis_server) {
  auto const without_redis = std::ranges::find_if(workers, &missing_stores::redis);
  bool const without_postgres = std::ranges::any_of(workers, &missing_stores::postgres);
  std::string out = "waiting for ";
  if (without_redis != workers.end()) {
    auto const said = std::ranges::find_if(
        workers, [](missing_stores const& stores) { return stores.redis && !stores.redis_fault.empty(); });
    out += "Redis at ";
    out += redis_server;
    out += ": ";
    out += said == workers.end() ? "no answer yet" : said->redis_fault;
    if (without_postgres) out += ", and for ";
  }
  if (without_postgres) out += "PostgreSQL";
  return out;
}

void startup_wait::begin(std::string_view sentence) {
  log::warn(sentence);
  show(sentence);
}

void startup_wait::show(std::string_view sentence) {
  {
    std::lock_guard const lock(mutex_);
    sentence_ = sentence;
  }
  manager_.status("starting: " + std::string(sentence));
}

void startup_wait::end() {
  std::lock_guard const lock(mutex_);
  sentence_.clear();
}

std::string startup_wait::sentence() const {
  std::lock_guard const lock(mutex_);
  return sentence_;
}

}  // namespace svc::app
