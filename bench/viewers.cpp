// Measures what viewers of a project's changes cost. Sends changes of one project in a closed loop: on one connection
// without and with viewers, which shows what an event costs, and on all connections. Prints one JSON line: CPU
// microseconds per change on all connections without and with viewers, and for each event of each viewer.

#include "arguments.hpp"
#include "process_cost.hpp"
#include "tally.hpp"
#include "tls_client.hpp"

#include <sys/epoll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <deque>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace svc::bench {
namespace {

using steady = std::chrono::steady_clock;

constexpr char const* usage =
    "usage: bench_viewers --name NAME --url https://ADDR:PORT/ --ca FILE --role NAME=PID[+]...\n"
    "  --requests FILE of METHOD TARGET TOKEN (changes of one project)\n"
    "  --watch FILE of METHOD TARGET SESSION PROJECT (its viewers) [--viewers 100]\n"
    "  [--connections 16] [--expect 202] [--warmup 1] [--seconds 3]\n";

/// A connection that epoll watches.
class polled_connection {
 public:
  virtual ~polled_connection() = default;
  virtual int descriptor() const = 0;
  virtual void advance() = 0;
};

/// Sends the next change when the last one was answered.
class changer final : public polled_connection {
 public:
  changer(workload& work, tally& result) : link_(work.context.get(), work.where), work_(work), result_(result) {
    send();
  }
  int descriptor() const override { return link_.descriptor(); }
  void advance() override {
    auto const status = link_.receive();
    if (!status) return;
    result_.add(*status, steady::now() - sent_);
    send();
  }

 private:
  void send() {
    sent_ = steady::now();
    link_.send(work_.requests.next());
  }

  connection link_;
  workload& work_;
  tally& result_;
  steady::time_point sent_{};
};

/// Counts the events of a stream that name changes.
class viewer final : public polled_connection {
 public:
  viewer(workload& work, std::string_view request, std::size_t& events)
      : link_(work.context.get(), work.where), events_(events) {
    link_.send(request);
  }
  int descriptor() const override { return link_.descriptor(); }
  void advance() override {
    unread_ += link_.receive_piece();
    if (!is_admitted()) return;
    std::size_t position = 0;
    for (auto found = next_event(position); found != std::string::npos; found = next_event(position)) {
      ++events_;
      position = found + 1;
    }
    if (unread_.find("event: ready") != std::string::npos) ready_ = true;
    // The start of a mark may be at the end of a piece.
    auto const kept = std::min<std::size_t>(unread_.size() - position, longest_mark - 1);
    unread_.erase(0, unread_.size() - kept);
  }
  bool ready() const { return ready_; }

 private:
  static constexpr std::string_view runs_mark = "event: runs", changed_mark = "event: changed";
  static constexpr std::size_t longest_mark = changed_mark.size();

  /// Returns false while the status line is incomplete. Throws if the service refuses the stream.
  bool is_admitted() {
    if (admitted_) return true;
    auto const end = unread_.find("\r\n");
    if (end == std::string::npos) return false;
    if (!unread_.starts_with("HTTP/1.1 200")) throw std::runtime_error("no stream: " + unread_.substr(0, end));
    admitted_ = true;
    return true;
  }

  std::size_t next_event(std::size_t position) const {
    return std::min(unread_.find(runs_mark, position), unread_.find(changed_mark, position));
  }

  connection link_;
  std::size_t& events_;
  std::string unread_{};
  bool admitted_ = false, ready_ = false;
};

/// The connections of a measurement; one thread, level-triggered epoll.
class loop {
 public:
  loop() : poll_(::epoll_create1(EPOLL_CLOEXEC)) {}
  loop(loop const&) = delete;
  loop& operator=(loop const&) = delete;
  ~loop() { ::close(poll_); }

  void watch(polled_connection& each) {
    epoll_event event{EPOLLIN, {.ptr = &each}};
    ::epoll_ctl(poll_, EPOLL_CTL_ADD, each.descriptor(), &event);
  }
  void run_until(steady::time_point end) {
    while (steady::now() < end) run_once();
  }
  void run_once() {
    std::array<epoll_event, 64> events;
    int const ready = ::epoll_wait(poll_, events.data(), static_cast<int>(events.size()), 100);
    for (int i = 0; i < ready; ++i)
      static_cast<polled_connection*>(events[static_cast<std::size_t>(i)].data.ptr)->advance();
  }

 private:
  int const poll_;
};

steady::duration seconds_of(double value) {
  return std::chrono::duration_cast<steady::duration>(std::chrono::duration<double>(value));
}

/// CPU microseconds of the processes of a measurement, or of one change in it.
struct cost {
  double all = 0;
  /// Without PostgreSQL, whose background work differs more than viewers cost; they cause no statement.
  double service = 0;
  double changes = 1;
};

cost cost_of(std::vector<role> const& roles) {
  cost sum;
  for (auto const& each : roles) {
    auto const micros = each.cpu_micros();
    sum.all += micros;
    if (each.name() != "postgres") sum.service += micros;
  }
  return sum;
}

/// Returns the cost of one change, after the warm-up. What was counted before that is forgotten.
cost measure(loop& all, tally& result, std::size_t& events, std::vector<role> const& roles,
             arguments const& arguments) {
  all.run_until(steady::now() + seconds_of(arguments.number("warmup", 1)));
  result.forget();
  events = 0;
  auto const before = cost_of(roles);
  all.run_until(steady::now() + seconds_of(arguments.number("seconds", 3)));
  auto const after = cost_of(roles);
  auto const changes = static_cast<double>(std::max<std::size_t>(result.answers(), 1));
  return {(after.all - before.all) / changes, (after.service - before.service) / changes, changes};
}

/// Opens the viewers, and waits until each has heard that it misses no change from then on. Throws if one is refused.
void open_viewers(loop& all, std::deque<viewer>& viewers, workload& work, arguments const& arguments,
                  std::size_t& events) {
  request_rotation requests(arguments, work.where, "GET", "watch");
  auto const count = static_cast<std::size_t>(arguments.number("viewers", 100));
  for (std::size_t i = 0; i < count; ++i) all.watch(viewers.emplace_back(work, requests.next(), events));
  auto const until = steady::now() + std::chrono::seconds(30);
  while (!std::ranges::all_of(viewers, &viewer::ready)) {
    if (steady::now() > until) throw std::runtime_error("a stream is not ready");
    all.run_once();
  }
}

int run(arguments const& arguments) {
  workload work(arguments, "POST");
  auto const roles = parse_roles(arguments.all("role"));
  tally result(static_cast<int>(arguments.number("expect", 202)));
  loop all;
  std::size_t events = 0;
  // Under full load two equal measurements differ by more than viewers cost, so one connection shows what an event
  // costs.
  std::deque<changer> changers;
  all.watch(changers.emplace_back(work, result));
  auto const unwatched = measure(all, result, events, roles, arguments);
  std::deque<viewer> viewers;
  open_viewers(all, viewers, work, arguments, events);
  auto const watched = measure(all, result, events, roles, arguments);
  // However many changes there are, a viewer gets the same number of events a second.
  auto const added = (watched.service - unwatched.service) * watched.changes;
  auto const count = viewers.size(), seen = std::max<std::size_t>(events, 1);
  viewers.clear();
  for (auto left = static_cast<int>(arguments.number("connections", 16)); left > 1; --left)
    all.watch(changers.emplace_back(work, result));
  auto const full = measure(all, result, events, roles, arguments);
  std::printf(
      "{%s,\"viewers\":%zu,\"viewer_events\":%zu,\"change_us\":%.3f,\"watched_change_us\":%.3f,"
      "\"viewer_event_us\":%.3f}\n",
      result.members(arguments.needed("name"), arguments.number("seconds", 3)).c_str(), count, seen, full.all,
      full.all + added / full.changes, added / static_cast<double>(seen));
  return result.verdict("bench_viewers");
}

}  // namespace
}  // namespace svc::bench

int main(int argc, char** argv) {
  return svc::bench::run_program(argc, argv, "bench_viewers", svc::bench::usage, svc::bench::run);
}
