// Open-loop load over keep-alive TLS 1.3 connections: request i is due i / rate seconds after the start, whether
// others are answered or not, and its latency counts from then. Prints one JSON line.

#include "arguments.hpp"
#include "tls_client.hpp"

#include <sys/epoll.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <deque>
#include <exception>
#include <stdexcept>

namespace svc::bench {
namespace {

using steady = std::chrono::steady_clock;

constexpr char const* usage =
    "usage: bench_rate --name NAME --url https://ADDR:PORT/PATH --ca FILE [--method POST] [--body JSON]\n"
    "  [--header 'Name: value']... [--expect 202] [--connections 64] [--rate 200] [--seconds 20]\n";

/// For answers that are still due at the end.
constexpr std::chrono::seconds patience{30};

/// The connections and what is due; one thread, level-triggered epoll, a look at the clock each millisecond.
class driver {
 public:
  driver(arguments const& with, SSL_CTX* context, address const& where)
      : request_(make_request(with.text("method", "POST"), where, with.text("body", ""), with.all("header"))),
        expected_(static_cast<int>(with.number("expect", 202))),
        poll_(::epoll_create1(EPOLL_CLOEXEC)) {
    auto const count = static_cast<std::size_t>(with.number("connections", 64));
    for (std::size_t i = 0; i < count; ++i) {
      auto& c = clients_.emplace_back(context, where);
      epoll_event event{EPOLLIN, {.ptr = &c}};
      ::epoll_ctl(poll_, EPOLL_CTL_ADD, c.link.descriptor(), &event);
      free_.push_back(&c);
    }
  }
  driver(driver const&) = delete;
  driver& operator=(driver const&) = delete;
  ~driver() { ::close(poll_); }

  /// All requests of so many seconds, and their answers.
  void run(double rate, double seconds) {
    auto const all = static_cast<std::size_t>(rate * seconds);
    auto const start = steady::now();
    auto const due = [&](std::size_t i) {
      return start + std::chrono::duration_cast<steady::duration>(
                         std::chrono::duration<double>(static_cast<double>(i) / rate));
    };
    while (latencies_.size() < all) {
      auto const now = steady::now();
      while (sent_ < all && due(sent_) <= now && !free_.empty()) ask(due(sent_));
      if (now > due(all) + patience) throw std::runtime_error("answers are missing");
      answer();
    }
  }

  std::size_t answers() const { return latencies_.size(); }
  std::size_t unexpected() const { return unexpected_; }
  int other_status() const { return other_status_; }
  double last_answer_after(steady::time_point start) const {
    return std::chrono::duration<double>(last_ - start).count();
  }
  /// In microseconds.
  double percentile(double part) {
    if (latencies_.empty()) return 0;
    auto const at = latencies_.begin() + static_cast<std::ptrdiff_t>(part * static_cast<double>(answers() - 1));
    std::nth_element(latencies_.begin(), at, latencies_.end());
    return *at;
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
    c->link.send(request_);
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
      latencies_.push_back(std::chrono::duration<float, std::micro>(last_ - c->due).count());
      if (*status != expected_) {
        ++unexpected_;
        other_status_ = *status;
      }
      free_.push_back(c);
    }
  }

  std::string const request_;
  int const expected_;
  int const poll_;
  std::deque<client> clients_;  // their addresses are epoll's
  std::vector<client*> free_;
  std::vector<float> latencies_;
  steady::time_point last_;
  std::size_t sent_ = 0;
  std::size_t unexpected_ = 0;
  int other_status_ = 0;
};

int run(arguments const& with) {
  auto const where = parse_url(with.needed("url"));
  auto const context = make_client_context(with.needed("ca"));
  driver load(with, context.get(), where);
  auto const start = steady::now();
  load.run(with.number("rate", 200), with.number("seconds", 20));
  std::printf(
      "{\"name\":\"%s\",\"requests\":%zu,\"unexpected\":%zu,\"per_second\":%.0f,\"p50_us\":%.0f,\"p99_us\":%.0f}\n",
      with.needed("name").c_str(), load.answers(), load.unexpected(),
      static_cast<double>(load.answers()) / load.last_answer_after(start), load.percentile(0.5),
      load.percentile(0.99));
  if (load.unexpected() == 0) return 0;
  std::fprintf(stderr, "bench_rate: %zu answers of an unexpected status, such as %d\n", load.unexpected(),
               load.other_status());
  return 1;
}

}  // namespace
}  // namespace svc::bench

int main(int argc, char** argv) {
  try {
    return svc::bench::run(svc::bench::arguments(argc, argv));
  } catch (std::exception const& e) {
    std::fprintf(stderr, "bench_rate: %s\n%s", e.what(), svc::bench::usage);
    return 2;
  }
}
