#include "svc/live/mover.hpp"

#include "live/keys.hpp"
#include "live/output_reader.hpp"
#include "svc/core/result.hpp"
#include "svc/http/deflate.hpp"

#include <boost/asio/co_spawn.hpp>

#include <exception>
#include <memory>

namespace svc::live {
namespace {

constexpr std::int64_t at_once = 64;
constexpr int page = 200;
constexpr std::chrono::seconds patience{5};
/// Then the end is written here: whoever ended the run in the database has died before telling Redis.
constexpr milliseconds overdue{3000};
/// Long enough for viewers that are still reading there.
constexpr std::string_view last_life_millis = "600000";
/// Output repeats itself: the fastest level already finds that, at 100 MB/s.
constexpr int compression = 1;

struct joint {
  std::size_t left;
  std::exception_ptr failed;
  steady_timer over;  ///< never expires; cancelled when all are over
};

/// At once, until all are over: most of their time is that of Redis's answers.
task<> all_of(std::vector<task<>> what) {
  auto const here = co_await asio::this_coro::executor;
  auto const state = std::make_shared<joint>(what.size(), nullptr, steady_timer(here, steady::time_point::max()));
  for (auto& one : what) {
    asio::co_spawn(here, std::move(one), [state](std::exception_ptr e) {
      if (e) state->failed = e;
      if (--state->left == 0) state->over.cancel();
    });
  }
  if (state->left > 0) co_await state->over.async_wait(awaiting);
  if (state->failed) std::rethrow_exception(state->failed);
}

task<> expire(redis::client& redis, std::string key) {
  std::string_view const words[] = {"PEXPIRE", key, last_life_millis};
  co_await redis.command(words, deadline::after(patience));
}

}  // namespace

/// What was read so far, compressed.
struct mover::moved {
  http::deflater text{http::deflate_format::zlib, compression};
  store::stored_output out{};
  event_id last{};
  bool complete = false;

  void add(std::vector<run_event> const& events) {
    std::string page_text;
    for (auto const& one : events) {
      out.incomplete = out.incomplete || !last.precedes(one.id);
      out.lines += one.is_line() ? 1 : 0;
      complete = one.kind == event_kind::complete;
      last = one.id;
      append_stored(page_text, one);
    }
    out.size += static_cast<std::int64_t>(page_text.size());
    text.add(page_text);
  }
};

task<bool> mover::pass() {
  try {
    for (;;) {
      auto const due = co_await outputs_.take_due(at_once, deadline::after(patience));
      std::vector<std::optional<moved>> got(due.size());
      std::vector<task<>> reads;
      for (std::size_t i = 0; i < due.size(); ++i) reads.push_back(read(due[i], got[i]));
      co_await all_of(std::move(reads));
      std::vector<store::stored_output> ready;
      for (std::size_t i = 0; i < due.size(); ++i) {
        if (!got[i]) co_return false;
        if (!got[i]->complete) continue;
        got[i]->out.run = due[i].run;
        auto const content = got[i]->text.finish();
        got[i]->out.content.assign(content.begin(), content.end());
        ready.push_back(std::move(got[i]->out));
      }
      co_await outputs_.keep(ready, deadline::after(patience));
      co_await let_expire(ready);
      if (due.size() < static_cast<std::size_t>(at_once)) co_return true;
    }
  } catch (unavailable const&) {
    co_return false;
  }
}

/// `into` stays empty when Redis does not answer; whoever waits for this owns it.
task<> mover::read(store::due_output of, std::optional<moved>& into) {
  moved got;
  for (bool ended_here = false;;) {
    auto const events = co_await read_events(redis_, of.run, got.last, page, deadline::after(patience));
    if (!events) co_return;
    got.add(*events);
    if (events->size() == page) continue;
    if (got.complete || ended_here || of.age < overdue) break;
    co_await writer_.finish(of.run, of.attempt, of.status, got.last.attempt == of.attempt ? got.last.seq : 0,
                            deadline::after(patience));
    ended_here = true;
  }
  into.emplace(std::move(got));
}

task<> mover::let_expire(std::vector<store::stored_output> const& kept) {
  std::vector<task<>> ends;
  for (auto const& one : kept)
    for (auto const& key : {stream_key(one.run), state_key(one.run)}) ends.push_back(expire(redis_, key));
  if (!ends.empty()) co_await all_of(std::move(ends));
}

}  // namespace svc::live
