#include "egress/ready.hpp"

namespace svc::egress {

task<bool> ready(std::shared_ptr<descriptor> on, asio::posix::descriptor_base::wait_type what,
                 steady::time_point until) {
  steady_timer timer(on->get_executor(), until);
  timer.async_wait([weak = std::weak_ptr(on)](boost::system::error_code ec) {
    auto const alive = weak.lock();
    if (!ec && alive) alive->cancel();
  });
  auto const [ec] = co_await on->async_wait(what, awaiting);
  co_return !ec;
}

}  // namespace svc::egress
