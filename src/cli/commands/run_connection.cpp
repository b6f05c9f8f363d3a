#include "cli/commands/run_connection.hpp"

#include "cli/console/interrupt.hpp"
#include "cli/console/show.hpp"
#include "cli/events/run_report.hpp"
#include "svc/core/random.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>
#include <thread>

namespace svc::cli {
namespace {

using milliseconds = std::chrono::milliseconds;

constexpr std::size_t longest_run = 16UL << 20U;

failure unreadable_stream() {
  return {exit_code::unreachable, "unreadable_stream", "The answer is not a run's output as the service sends it.",
          "Check SERVICE_URL, and whether a proxy is in between."};
}

failure lost_service() {
  return {exit_code::unreachable, "network", "The service has not answered for five minutes.",
          "svc health shows its state."};
}

std::optional<milliseconds> asked_to_wait(failure const& f) {
  auto const* const seconds = f.more().if_contains("retryAfterSeconds");
  if (seconds == nullptr || !seconds->is_int64()) return std::nullopt;
  return std::chrono::seconds(seconds->get_int64());
}

/// Returns true if another try may succeed.
bool is_passing(failure const& f) {
  if (f.code() == "stream_limit_reached") return true;
  if (f.exit() != exit_code::unreachable || f.code() == unreadable_stream().code()) return false;
  auto const* const status = f.more().if_contains("status");
  return status == nullptr || is_temporary(status->to_number<int>());
}

/// Returns an event of the stored output in the form in which the stream would have sent it; the stored events have
/// the stream's ids. Returns `std::nullopt` for a line that is no event.
std::optional<event> stored_event(std::string_view line) {
  boost::system::error_code bad;
  auto const value = boost::json::parse(line, bad);
  auto const* const object = bad ? nullptr : value.if_object();
  if (object == nullptr) return std::nullopt;
  if (auto const* const gap = object->if_contains("gap"); gap != nullptr && gap->is_object()) {
    auto last_missing = event_position::parse(text_of_member(gap->get_object(), "before"));
    if (!last_missing || last_missing->number == 0) return std::nullopt;
    --last_missing->number;
    return event{last_missing->to_string(), "gap", boost::json::serialize(*gap)};
  }
  return event{text_of_member(*object, "id"), "console", std::string(line)};
}

}  // namespace

bool run_connection::answer::over() const {
  auto const* const status = run.if_contains("status");
  return status != nullptr && status->is_string() && is_last_status(status->get_string());
}

run_connection::run_connection(client& client, std::string run, std::function<void()> idle)
    : client_(client), run_(std::move(run)), idle_(std::move(idle)) {}

void run_connection::pause(milliseconds time) {
  constexpr milliseconds slice{50};
  auto const until = std::chrono::steady_clock::now() + time;
  while (std::chrono::steady_clock::now() < until) {
    throw_if_interrupted();
    if (client_.deadline().over()) throw failure(exit_code::deadline, "deadline", "The time of --timeout is over.");
    idle_();
    std::this_thread::sleep_for(
        std::min(slice, std::chrono::ceil<milliseconds>(until - std::chrono::steady_clock::now())));
  }
}

void run_connection::note_failure(failure const& f) {
  auto const* const status = f.more().if_contains("status");
  if (status != nullptr && status->to_number<int>() < 500) return answered_now();
  contact_.lose(std::chrono::steady_clock::now(), f.what());
}

void run_connection::note_break() {
  contact_.lose(std::chrono::steady_clock::now(), "The connection broke.");
}

void run_connection::pause_or_give_up(reconnection& lost, std::optional<milliseconds> notified) {
  auto const time = lost.pause(notified, random_fraction());
  if (!time) throw lost_service();
  pause(*time);
}

run_connection::answer run_connection::ask(std::chrono::seconds wait) {
  auto const seconds = std::min(wait, std::chrono::ceil<std::chrono::seconds>(client_.deadline().left()));
  request const r{.method = "GET",
                  .target = "/api/runs/" + percent_encoded(run_) +
                            (seconds.count() > 0 ? "?wait=" + std::to_string(seconds.count()) : "")};
  for (reconnection lost;;) {
    answer out;
    std::optional<milliseconds> notified;
    try {
      auto const end = client_.stream(
          r,
          [&out](std::string_view bytes) {
            out.text += bytes;
            return out.text.size() <= longest_run;
          },
          idle_);
      boost::system::error_code bad;
      auto value = boost::json::parse(out.text, bad);
      if (end == stream_end::complete && !bad && value.is_object()) {
        out.run = std::move(value.get_object());
        answered_now();
        return out;
      }
      note_break();
    } catch (failure const& f) {
      if (!is_passing(f)) throw;
      note_failure(f);
      notified = asked_to_wait(f);
    }
    pause_or_give_up(lost, notified);
  }
}

void run_connection::follow(followed_run& run, listener const& on_news) {
  using action = followed_run::step::action;
  constexpr std::chrono::seconds without_streams{20};
  followed_run::step next{action::connect};
  for (;;) {
    switch (next.content) {
      case action::connect:
        pause(next.wait);
        next = stream_once(run, on_news);
        break;
      case action::ask_run:
        next = run.learnt(ask(without_streams).over(), random_fraction());
        break;
      case action::read_output:
        return read_rest(run, on_news);
      case action::finish:
        return;
      case action::give_up:
        throw lost_service();
    }
  }
}

followed_run::step run_connection::stream_once(followed_run& run, listener const& on_news) {
  request r{.method = "GET",
            .target = "/api/runs/" + percent_encoded(run_) + "/stream",
            .fields = {{"Accept", "text/event-stream"}}};
  if (run.last()) r.fields.emplace_back("Last-Event-ID", run.last()->to_string());
  event_parser parser;
  bool came = false;
  auto const take_event = [&](event&& event) {
    auto const news = run.take(event);
    if (news && news->content == run_news::kind::unreadable) throw unreadable_stream();
    if (news) on_news(*news);
  };
  followed_run::end settings{};
  std::optional<milliseconds> notified;
  try {
    auto const end = client_.stream(
        r,
        [&](std::string_view bytes) {
          came = true;
          answered_now();
          if (!parser.feed(bytes, take_event)) throw unreadable_stream();
          return true;
        },
        idle_);
    settings = end == stream_end::broken ? followed_run::end::broken
               : came                    ? followed_run::end::by_service
                                         : followed_run::end::empty;
    if (settings == followed_run::end::broken) note_break();
  } catch (failure const& f) {
    if (!is_passing(f)) throw;
    note_failure(f);
    settings = f.more().contains("status") ? followed_run::end::refused : followed_run::end::broken;
    notified = asked_to_wait(f);
  }
  if (parser.retry()) run.ask_for(*parser.retry());
  return run.after(settings, notified, random_fraction());
}

/// Reads the remaining output. Events from before the loss of a connection are not repeated, because `run` knows
/// them.
void run_connection::read_rest(followed_run& run, listener const& on_news) {
  for (reconnection lost;;) {
    std::optional<milliseconds> notified;
    try {
      if (read_output(run, on_news)) return;
    } catch (failure const& f) {
      if (f.code() == "output_dropped") return on_news({.content = run_news::kind::gap});
      if (!is_passing(f)) throw;
      note_failure(f);
      notified = asked_to_wait(f);
    }
    pause_or_give_up(lost, notified);
  }
}

bool run_connection::read_output(followed_run& run, listener const& on_news) {
  request const r{.method = "GET",
                  .target = "/api/runs/" + percent_encoded(run_) + "/output",
                  .fields = {{"Accept", "application/x-ndjson"}}};
  std::string rest;
  auto const end = client_.stream(
      r,
      [&](std::string_view bytes) {
        rest += bytes;
        std::size_t begin = 0;
        for (auto stop = rest.find('\n'); stop != std::string::npos; stop = rest.find('\n', begin)) {
          auto const event = stored_event(std::string_view(rest).substr(begin, stop - begin));
          if (!event) throw unreadable_stream();
          if (auto const news = run.take(*event)) on_news(*news);
          begin = stop + 1;
        }
        rest.erase(0, begin);
        return rest.size() <= event_parser::longest;
      },
      idle_);
  return end == stream_end::complete;
}

}  // namespace svc::cli
