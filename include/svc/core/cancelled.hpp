#pragma once

#include <boost/asio/cancellation_state.hpp>

namespace svc {

/// Whether the coroutine was cancelled: asked after each `co_await`, because the next one would throw.
inline bool is_cancelled(boost::asio::cancellation_state const& state) {
  return state.cancelled() != boost::asio::cancellation_type::none;
}

}  // namespace svc
