#pragma once

#include "svc/core/async.hpp"
#include "svc/core/cancelled.hpp"
#include "svc/core/deadline.hpp"

#include <boost/asio/posix/basic_stream_descriptor.hpp>

#include <memory>

namespace svc::egress {

using descriptor = asio::posix::basic_stream_descriptor<executor>;

/// Until the descriptor is ready for reading or writing, the time is up, or the waiting coroutine is cancelled. True:
/// it is ready, or has an error.
inline task<bool> ready(std::shared_ptr<descriptor> descriptor, asio::posix::descriptor_base::wait_type type,
                        steady::time_point until) {
  steady_timer timer(descriptor->get_executor(), until);
  timer.async_wait([weak = std::weak_ptr(descriptor)](boost::system::error_code ec) {
    auto const alive = weak.lock();
    if (!ec && alive) alive->cancel();
  });
  auto const [ec] = co_await descriptor->async_wait(type, awaiting);
  co_return !ec;
}

}  // namespace svc::egress
