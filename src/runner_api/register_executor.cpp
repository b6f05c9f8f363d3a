#include "svc/domain/token.hpp"
#include "svc/runner_api/runner_api.hpp"
#include "svc/store/runner_store.hpp"

namespace svc::runner_api {

task<result<reply>> register_executor(call& c) {
  auto name = checked_name(c.text("name"), 100);
  if (!name) co_return name.error();
  runner_registration what{.name = std::move(*name), .version = c.text("version"), .slots = c.number("slots")};
  for (auto const& label : c.body.at("labels").as_array()) what.labels.emplace_back(label.as_string());
  auto const id = co_await c.use.runners.enroll(c.secret, std::move(what), c.until);
  if (!id) co_return id.error();
  co_return reply{.body = {{"executorId", id->to_string()},
                           {"scope", c.who.project ? "project" : "organization"},
                           {"leaseSeconds", c.use.runners.lease().count()},
                           {"longPollSeconds", long_poll_seconds}}};
}

}  // namespace svc::runner_api
