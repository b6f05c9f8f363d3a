#include "svc/live/mover.hpp"

#include "live/keys.hpp"
#include "live/output_reader.hpp"
#include "svc/core/result.hpp"
#include "svc/http/deflate.hpp"

namespace svc::live {
namespace {

constexpr std::int64_t at_once = 32;
constexpr int page = 200;
constexpr std::chrono::seconds patience{5};
/// Then the end is written here: whoever ended the run in the database has died before telling Redis.
constexpr milliseconds overdue{3000};
/// Long enough for viewers that are still reading there.
constexpr std::string_view last_life_millis = "600000";
/// Output repeats itself: the fastest level already finds that, at 100 MB/s.
constexpr int compression = 1;

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
      std::vector<store::stored_output> ready;
      for (auto const& one : due) {
        auto got = co_await read(one);
        if (!got) co_return false;
        if (!got->complete) continue;
        got->out.run = one.run;
        auto const content = got->text.finish();
        got->out.content.assign(content.begin(), content.end());
        ready.push_back(std::move(got->out));
      }
      co_await outputs_.keep(ready, deadline::after(patience));
      co_await let_expire(ready);
      if (due.size() < static_cast<std::size_t>(at_once)) co_return true;
    }
  } catch (unavailable const&) {
    co_return false;
  }
}

task<std::optional<mover::moved>> mover::read(store::due_output of) {
  moved got;
  for (bool ended_here = false;;) {
    auto const events = co_await read_events(redis_, of.run, got.last, page, deadline::after(patience));
    if (!events) co_return std::nullopt;
    got.add(*events);
    if (events->size() == page) continue;
    if (got.complete || ended_here || of.age < overdue) co_return got;
    co_await writer_.finish(of.run, of.attempt, of.status, got.last.attempt == of.attempt ? got.last.seq : 0,
                            deadline::after(patience));
    ended_here = true;
  }
}

task<> mover::let_expire(std::vector<store::stored_output> const& kept) {
  for (auto const& one : kept) {
    for (auto const& key : {stream_key(one.run), state_key(one.run)}) {
      std::string_view const words[] = {"PEXPIRE", key, last_life_millis};
      co_await redis_.command(words, deadline::after(patience));
    }
  }
}

}  // namespace svc::live
