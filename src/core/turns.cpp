#include "svc/core/turns.hpp"

#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>

#include <algorithm>
#include <ctime>

namespace svc {
std::chrono::nanoseconds thread_time() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec);
}

turn_watch::look turn_watch::at(steady::time_point now, std::uint64_t ended) {
  // A watch that looks so late was stopped or starved, and so was the loop. The delay says nothing about the loop's
  // turn.
  bool const late = began_ && now - looked_ > 2 * interval;
  looked_ = now;
  auto const lasted = std::chrono::duration_cast<milliseconds>(now - since_);
  bool const moved = !began_ || ended != ended_;
  if (moved || (late && !stuck_)) {
    look const out{
        .ask = moved, .content = stuck_ ? news::over : news::none, .lasted = stuck_ ? lasted : milliseconds(0)};
    began_ = true;
    stuck_ = false;
    ended_ = ended;
    since_ = now;
    return out;
  }
  if (stuck_ || lasted <= patience) return {.lasted = lasted};
  stuck_ = true;
  return {.content = news::stuck, .lasted = lasted};
}

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

void run_turns(asio::io_context& io, turn_meter& meter, loop_activity& activity) {
  meter = turn_meter(steady::now(), thread_time());
  activity_of_thread const own(activity);
  for (bool goes_on = true; goes_on;) {
    try {
      goes_on = io.run_one() > 0;
    } catch (...) {
      activity.note_failure();
    }
    auto const now = steady::now();
    activity.end_turn(now, meter.ended(now, &thread_time));
  }
}

}  // namespace svc
