#pragma once

#include "integration/access/window_model.hpp"
#include "integration/redis/fixture.hpp"
#include "svc/access/admission.hpp"

#include <map>

namespace svc::access {

/// In microseconds, like Redis's times and stamps.
inline constexpr std::int64_t second = 1'000'000, minute = 60 * second;

/// The scripts on a real Redis, called as the service calls them. Times are Redis's, in microseconds.
class script_bench {
 public:
  explicit script_bench(std::vector<redis::script const*> const& scripts = {&admission::script()})
      : client_(w_.io, redis::patient(server_.url()), scripts) {
    w_.connect(client_);
  }

  std::string const log = "svc:{s}:w:cli:1";

  redis::worker& loop() { return w_; }
  redis::client& client() { return client_; }
  redis::settings where() { return redis::patient(server_.url()); }

  /// One command that must succeed.
  redis::reply command(std::vector<std::string> const& words) {
    auto const outcome = w_.ask(client_, {words.begin(), words.end()});
    REQUIRE(outcome.ok());
    return outcome.value;
  }
  std::string text(std::vector<std::string> const& words) {
    auto const reply = command(words);
    return reply.kind == redis::reply::type::integer ? std::to_string(reply.number) : reply.text;
  }
  redis::reply evaluate(redis::script const& script, std::vector<std::string> const& keys,
                        std::vector<std::string> const& arguments) {
    std::vector<std::string_view> const k(keys.begin(), keys.end());
    std::vector<std::string_view> const a(arguments.begin(), arguments.end());
    auto const outcome = w_.run(client_.evaluate(script, k, a, deadline::after(std::chrono::seconds(10))));
    REQUIRE(outcome.ok());
    return outcome.value;
  }

  /// One admission without an epoch; the window need not be a whole number of seconds.
  limit_decision admit(std::string const& key, std::int64_t limit, std::int64_t window) {
    auto const replies = evaluate(admission::script(), {key, "svc:{s}:epoch"},
                                  {"none", "0", std::to_string(limit), std::to_string(window), "0"});
    redis::outcome const got{redis::delivery::answered, replies.elements.at(0)};
    auto const reply = read_admission_reply(got, {rate_class::cli, {static_cast<std::uint32_t>(limit), 1}});
    REQUIRE((reply.verdict == admission_verdict::ok || reply.verdict == admission_verdict::denied));
    return reply.decision;
  }
  limit_decision admit(std::int64_t limit, std::int64_t window) { return admit(log, limit, window); }

  std::int64_t time() {
    auto const reply = command({"TIME"});
    return std::stoll(reply.elements.at(0).text) * 1'000'000 + std::stoll(reply.elements.at(1).text);
  }
  /// Asks Redis for the time until it is `position`.
  void pass(std::int64_t position) {
    while (time() < position) {
    }
  }

  /// Replaces a log by these stamps, oldest first, as admissions would have written it.
  void seed(std::vector<std::int64_t> const& stamps) {
    command({"DEL", log});
    for (std::size_t i = 0; i < stamps.size();) {
      std::vector<std::string> words{"LPUSH", log};
      for (; i < stamps.size() && words.size() < 1000; ++i) words.push_back(std::to_string(stamps[i]));
      command(words);
    }
    if (!stamps.empty()) command({"PEXPIRE", log, "3600000"});
  }
  /// Oldest first.
  std::vector<std::int64_t> stamps() {
    std::vector<std::int64_t> found;
    for (auto const& element : command({"LRANGE", log, "0", "-1"}).elements)
      found.push_back(std::stoll(element.text));
    std::reverse(found.begin(), found.end());
    return found;
  }
  std::int64_t life(std::string const& key) { return command({"PTTL", key}).number; }

  /// All keys with their contents and expiry times.
  std::map<std::string, std::string> everything() {
    std::map<std::string, std::string> found;
    for (auto const& key : command({"KEYS", "*"}).elements)
      found[key.text] = text({"DUMP", key.text}) + " until " + text({"PEXPIRETIME", key.text});
    return found;
  }

 private:
  test::private_redis const server_;
  redis::worker w_;
  redis::client client_;
};

inline window_model::answer answer_of(limit_decision const& d) {
  return {d.admitted, d.remaining, d.reset_micros, d.retry_micros};
}

inline std::ostream& operator<<(std::ostream& out, window_model::answer const& a) {
  return out << (a.admitted ? "ok" : "denied") << " remaining " << a.remaining << " reset " << a.reset << " retry "
             << a.retry;
}

}  // namespace svc::access
