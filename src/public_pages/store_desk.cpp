#include "svc/public_pages/store_desk.hpp"

#include <utility>

namespace svc::public_pages {

task<bool> store_desk::request(uuid page, std::string address, std::vector<uuid> components, deadline until) {
  co_return co_await subscribers_.request(queue_, {page, std::move(address), std::move(components)}, until);
}

task<pages::subscription_step> store_desk::find_link(uuid page, std::string token, deadline until) {
  co_return co_await subscribers_.find_link(page, std::move(token), until);
}

task<std::optional<pages::subscription_step>> store_desk::act(uuid page, std::string token, std::string body,
                                                              deadline until) {
  auto const action = store::read_subscription_action(body);
  if (!action) co_return std::nullopt;
  co_return co_await subscribers_.act(page, std::move(token), *action, most_, until);
}

}  // namespace svc::public_pages
