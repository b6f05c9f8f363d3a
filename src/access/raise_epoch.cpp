#include "access/raise_epoch.hpp"

#include "access/scripts.hpp"
#include "svc/domain/subject_key.hpp"

namespace svc::access {

task<bool> raise_epoch(redis::client& redis, subject_epoch one, deadline until) {
  std::string const key = epoch_key(one.subject.to_string());
  std::string const epoch = std::to_string(one.epoch);
  std::string const life = epoch_life_millis();
  std::string_view const keys[] = {key};
  std::string_view const arguments[] = {epoch, life};
  auto const raised = co_await redis.evaluate(raise_script(), keys, arguments, until);
  co_return raised.ok();
}

}  // namespace svc::access
