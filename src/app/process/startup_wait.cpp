#include "app/process/startup_wait.hpp"

#include <algorithm>

namespace svc::app {

std::string waiting_sentence(std::vector<missing_stores> const& workers, std::string_view redis_place) {
  auto const without_redis = std::ranges::find_if(workers, &missing_stores::redis);
  bool const without_postgres = std::ranges::any_of(workers, &missing_stores::postgres);
  std::string out = "waiting for ";
  if (without_redis != workers.end()) {
    auto const said = std::ranges::find_if(
        workers, [](missing_stores const& stores) { return stores.redis && !stores.redis_fault.empty(); });
    out += "Redis at ";
    out += redis_place;
    out += ": ";
    out += said == workers.end() ? "no answer yet" : said->redis_fault;
    if (without_postgres) out += ", and for ";
  }
  if (without_postgres) out += "PostgreSQL";
  return out;
}

}  // namespace svc::app
