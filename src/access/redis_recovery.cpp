#include "svc/access/redis_recovery.hpp"

namespace svc::access {

task<bool> redis_recovery::mend(deadline until) {
  std::string_view const role[] = {"ROLE"};
  auto const told = co_await redis_.command(role, until);
  if (!told.ok() || told.value.elements.empty()) co_return false;
  if (told.value.elements[0].text != "master") {
    // A stable name stands for another server after a failover, but a connection stays where it is.
    redis_.reconnect();
    co_return false;
  }
  // Full memory and a failed save refuse writes only.
  std::string_view const write[] = {"SET", "svc:probe", "1", "PX", "10000"};
  auto const taken = co_await redis_.command(write, until);
  if (!taken.ok()) co_return false;
  if (!co_await changes_.pass(until)) co_return false;
  who_.forget_all();
  co_return true;
}

}  // namespace svc::access
