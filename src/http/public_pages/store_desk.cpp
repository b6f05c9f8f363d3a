#include "svc/http/public_pages/store_desk.hpp"

#include "svc/core/result.hpp"

#include <utility>

namespace svc::public_pages {

void store_desk::check_ready() const {
  if (!ready_) throw unavailable("the database has not shown its schema");
}

task<bool> store_desk::request(uuid page, std::string address, std::vector<uuid> components, deadline until) {
  check_ready();
  co_return co_await subscribers_.request(queue_, {page, std::move(address), std::move(components)}, until);
}

task<pages::subscription_step> store_desk::find_link(uuid page, std::string token, deadline until) {
  check_ready();
  co_return co_await subscribers_.find_link(page, std::move(token), until);
}

task<std::optional<pages::subscription_step>> store_desk::act(uuid page, std::string token, std::string body,
                                                              deadline until) {
  check_ready();
  auto const action = store::read_subscription_action(body);
  if (!action) co_return std::nullopt;
  co_return co_await subscribers_.act(page, std::move(token), *action, most_, until);
}

}  // namespace svc::public_pages
