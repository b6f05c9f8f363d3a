#include "svc/core/others_turn.hpp"

#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>

#include <algorithm>

namespace svc {

task<> others_turn() {
  co_await asio::post(co_await asio::this_coro::executor, awaiting);
}

task<std::string> copy_in_turns(std::shared_ptr<void const> owner, std::string_view text) {
  (void)owner;  // lives in the frame
  std::string out;
  out.reserve(text.size());
  for (;;) {
    out.append(text.substr(0, piece_of_turn));
    if (text.size() <= piece_of_turn) break;
    text.remove_prefix(piece_of_turn);
    co_await others_turn();
  }
  co_return out;
}

}  // namespace svc
