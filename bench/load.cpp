// Closed-loop load over keep-alive TLS 1.3 connections: each sends its next request when the answer to the last
// is complete. Prints one JSON line: requests, latencies, and CPU microseconds per request of the named roles.

#include "arguments.hpp"
#include "process_cost.hpp"
#include "tls_client.hpp"

#include <sys/epoll.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <deque>

namespace svc::bench {
namespace {

using steady = std::chrono::steady_clock;

constexpr char const* usage =
    "usage: bench_load --name NAME --url https://ADDR:PORT/PATH --ca FILE [--method GET] [--body JSON]\n"
    "  [--header 'Name: value']... [--expect 200] [--connections 64] [--warmup 1] [--seconds 3] [--role "
    "NAME=PID[+]]...\n";

/// The connections and their clocks; one thread, level-triggered epoll.
class driver {
 public:
  driver(arguments const& with, workload const& work)
      : request_(work.request),
        expected_(static_cast<int>(with.number("expect", 200))),
        poll_(::epoll_create1(EPOLL_CLOEXEC)) {
    auto const count = static_cast<std::size_t>(with.number("connections", 64));
    for (std::size_t i = 0; i < count; ++i) {
      auto& c = clients_.emplace_back(work.context.get(), work.where);
      epoll_event event{EPOLLIN, {.ptr = &c}};
      ::epoll_ctl(poll_, EPOLL_CTL_ADD, c.link.descriptor(), &event);
    }
    for (auto& c : clients_) ask(c);
  }
  driver(driver const&) = delete;
  driver& operator=(driver const&) = delete;
  ~driver() { ::close(poll_); }

  void run_until(steady::time_point end) {
    std::array<epoll_event, 64> events;
    while (steady::now() < end) {
      int const ready = ::epoll_wait(poll_, events.data(), static_cast<int>(events.size()), 100);
      for (int i = 0; i < ready; ++i) advance(*static_cast<client*>(events[static_cast<std::size_t>(i)].data.ptr));
    }
  }

  void forget() {
    latencies_.clear();
    unexpected_ = 0;
    other_status_ = 0;
  }
  std::size_t answers() const { return latencies_.size(); }
  std::size_t unexpected() const { return unexpected_; }
  int other_status() const { return other_status_; }
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
    steady::time_point sent;
  };

  void ask(client& c) {
    c.sent = steady::now();
    c.link.send(request_);
  }

  void advance(client& c) {
    auto const status = c.link.receive();
    if (!status) return;
    latencies_.push_back(std::chrono::duration<float, std::micro>(steady::now() - c.sent).count());
    if (*status != expected_) {
      ++unexpected_;
      other_status_ = *status;
    }
    ask(c);
  }

  std::string const request_;
  int const expected_;
  int const poll_;
  std::deque<client> clients_;  // their addresses are epoll's
  std::vector<float> latencies_;
  std::size_t unexpected_ = 0;
  int other_status_ = 0;
};

int run(arguments const& with) {
  workload const work(with);
  auto const roles = parse_roles(with.all("role"));
  driver load(with, work);

  auto const seconds_of = [](double s) {
    return std::chrono::duration_cast<steady::duration>(std::chrono::duration<double>(s));
  };
  load.run_until(steady::now() + seconds_of(with.number("warmup", 1)));
  load.forget();
  std::vector<double> before;
  for (auto const& r : roles) before.push_back(r.cpu_micros());
  auto const start = steady::now();
  load.run_until(start + seconds_of(with.number("seconds", 3)));
  auto const took = std::chrono::duration<double>(steady::now() - start).count();

  auto const answers = static_cast<double>(std::max<std::size_t>(load.answers(), 1));
  std::string cpu;
  double sum = 0;
  for (std::size_t i = 0; i < roles.size(); ++i) {
    auto const each = (roles[i].cpu_micros() - before[i]) / answers;
    sum += each;
    cpu += '"' + roles[i].name() + "\":" + std::to_string(each) + ',';
  }
  std::printf(
      "{\"name\":\"%s\",\"requests\":%zu,\"unexpected\":%zu,\"per_second\":%.0f,\"p50_us\":%.0f,\"p99_us\":%.0f,"
      "\"cpu_us\":{%s\"sum\":%.3f}}\n",
      with.needed("name").c_str(), load.answers(), load.unexpected(), answers / took, load.percentile(0.5),
      load.percentile(0.99), cpu.c_str(), sum);
  if (load.unexpected() == 0) return 0;
  std::fprintf(stderr, "bench_load: %zu answers of an unexpected status, such as %d\n", load.unexpected(),
               load.other_status());
  return 1;
}

}  // namespace
}  // namespace svc::bench

int main(int argc, char** argv) {
  return svc::bench::run_program(argc, argv, "bench_load", svc::bench::usage, svc::bench::run);
}
