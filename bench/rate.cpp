// Open-loop load over keep-alive TLS 1.3 connections. Request i is due i / rate seconds after the start, even if
// earlier requests are unanswered, and its latency counts from then. Prints one JSON line.

#include "arguments.hpp"
#include "tally.hpp"
#include "tls_client.hpp"

#include <sys/epoll.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <deque>
#include <stdexcept>

namespace svc::bench {
namespace {

using steady = std::chrono::steady_clock;

constexpr char const* usage =
    "usage: bench_rate --name NAME --url https://ADDR:PORT/PATH --ca FILE [--method POST] [--body JSON]\n"
    "  [--requests FILE of METHOD TARGET TOKEN, or SESSION PROJECT] [--idempotency no|yes]\n"
    "  [--header 'Name: value']... [--expect 202] [--connections 64] [--rate 200] [--seconds 20]\n";

/// Time to wait at the end for outstanding answers.
constexpr std::chrono::seconds patience{30};

/// The connections and the schedule of requests; one thread, level-triggered epoll, a clock check every millisecond.
class driver {
 public:
  driver(arguments const& arguments, workload& work)
      : requests_(work.requests),
        result_(static_cast<int>(arguments.number("expect", 202))),
        poll_(::epoll_create1(EPOLL_CLOEXEC)) {
    auto const count = static_cast<std::size_t>(arguments.number("connections", 64));
    for (std::size_t i = 0; i < count; ++i) {
      auto& c = clients_.emplace_back(work.context.get(), work.where);
      epoll_event event{EPOLLIN, {.ptr = &c}};
      ::epoll_ctl(poll_, EPOLL_CTL_ADD, c.link.descriptor(), &event);
      free_.push_back(&c);
    }
  }
  driver(driver const&) = delete;
  driver& operator=(driver const&) = delete;
  ~driver() { ::close(poll_); }

  /// Sends all requests and waits for their answers.
  void run(double rate, double seconds) {
    auto const all = static_cast<std::size_t>(rate * seconds);
    auto const start = steady::now();
    auto const due = [&](std::size_t i) {
      return start + std::chrono::duration_cast<steady::duration>(
                         std::chrono::duration<double>(static_cast<double>(i) / rate));
    };
    while (result_.answers() < all) {
      auto const now = steady::now();
      while (sent_ < all && due(sent_) <= now && !free_.empty()) ask(due(sent_));
      if (now > due(all) + patience) throw std::runtime_error("answers are missing");
      answer();
    }
  }

  tally& result() { return result_; }
  double last_answer_after(steady::time_point start) const {
    return std::chrono::duration<double>(last_ - start).count();
  }

 private:
  struct client {
    client(SSL_CTX* context, address const& where) : link(context, where) {}
    connection link;
    steady::time_point due;
  };

  void ask(steady::time_point due) {
    auto* const c = free_.back();
    free_.pop_back();
    c->due = due;
    c->link.send(requests_.next());
    ++sent_;
  }

  void answer() {
    std::array<epoll_event, 64> events;
    int const ready = ::epoll_wait(poll_, events.data(), static_cast<int>(events.size()), 1);
    for (int i = 0; i < ready; ++i) {
      auto* const c = static_cast<client*>(events[static_cast<std::size_t>(i)].data.ptr);
      auto const status = c->link.receive();
      if (!status) continue;
      last_ = steady::now();
      result_.add(*status, last_ - c->due);
      free_.push_back(c);
    }
  }

  request_rotation& requests_;
  tally result_;
  int const poll_;
  std::deque<client> clients_;  // epoll holds their addresses
  std::vector<client*> free_;
  steady::time_point last_;
  std::size_t sent_ = 0;
};

int run(arguments const& arguments) {
  workload work(arguments, "POST");
  driver load(arguments, work);
  auto const start = steady::now();
  load.run(arguments.number("rate", 200), arguments.number("seconds", 20));
  std::printf("{%s}\n", load.result().members(arguments.needed("name"), load.last_answer_after(start)).c_str());
  return load.result().verdict("bench_rate");
}

}  // namespace
}  // namespace svc::bench

int main(int argc, char** argv) {
  return svc::bench::run_program(argc, argv, "bench_rate", svc::bench::usage, svc::bench::run);
}
