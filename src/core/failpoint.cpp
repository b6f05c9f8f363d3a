#include "svc/core/failpoint.hpp"
#include "svc/core/numbers.hpp"

#ifdef SVC_FAILPOINTS

#include "svc/core/deadline.hpp"
#include "svc/core/result.hpp"

#include <unistd.h>
#include <atomic>
#include <cstdlib>
#include <map>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>

namespace svc::failpoint {
namespace {

struct action {
  enum class kind : std::uint8_t { delay, block, sleep, fail, bug, exit } content = kind::delay;
  milliseconds wait{0};
  std::optional<int> left{};  ///< times to fire; nothing: always
};

// Test builds only; a lock here costs nothing that is measured.
std::mutex guard;
std::map<std::string, action, std::less<>> configured;
std::atomic<int> offset_seconds{0};
std::atomic<std::chrono::microseconds::rep> held_at{-1};  ///< negative: it goes

bool read_number(std::string_view text, int& out) {
  auto const value = parse_number<int>(text);
  if (!value || *value < 0) return false;
  out = *value;
  return true;
}

/// One that has a time.
std::optional<action> read_timed(std::string_view text, action a) {
  static constexpr std::pair<std::string_view, action::kind> kinds[] = {
      {"delay:", action::kind::delay}, {"block:", action::kind::block}, {"sleep:", action::kind::sleep}};
  for (auto const& [word, kind] : kinds) {
    int millis = 0;
    if (!text.starts_with(word)) continue;
    if (!read_number(text.substr(word.size()), millis)) return std::nullopt;
    a.content = kind;
    a.wait = milliseconds(millis);
    return a;
  }
  return std::nullopt;
}

std::optional<action> read_action(std::string_view text) {
  action a;
  if (auto const star = text.find('*'); star != std::string_view::npos) {
    int times = 0;
    if (!read_number(text.substr(star + 1), times)) return std::nullopt;
    a.left = times;
    text = text.substr(0, star);
  }
  if (text == "throw") {
    a.content = action::kind::fail;
  } else if (text == "bug") {
    a.content = action::kind::bug;
  } else if (text == "exit") {
    a.content = action::kind::exit;
  } else {
    return read_timed(text, a);
  }
  return a;
}

std::optional<action> take(std::string_view name) {
  std::lock_guard const lock(guard);
  auto const found = configured.find(name);
  if (found == configured.end()) return std::nullopt;
  if (found->second.left && (*found->second.left)-- <= 0) return std::nullopt;
  return found->second;
}

void act(action const& a) {
  if (a.content == action::kind::exit) ::_exit(137);
  if (a.content == action::kind::fail) throw unavailable("failpoint");
  if (a.content == action::kind::sleep) std::this_thread::sleep_for(a.wait);
  if (a.content == action::kind::block) {
    auto const until = deadline::after(a.wait);
    while (!until.passed()) {
    }
  }
  if (a.content == action::kind::bug) throw std::logic_error("failpoint");
}

}  // namespace

bool configure(std::string_view spec) {
  std::map<std::string, action, std::less<>> parsed;
  while (!spec.empty()) {
    auto const comma = std::min(spec.find(','), spec.size());
    auto const item = spec.substr(0, comma);
    spec.remove_prefix(std::min(comma + 1, spec.size()));
    auto const equals = item.find('=');
    if (equals == std::string_view::npos) return false;
    auto const a = read_action(item.substr(equals + 1));
    if (!a) return false;
    parsed.emplace(item.substr(0, equals), *a);
  }
  std::lock_guard const lock(guard);
  configured = std::move(parsed);
  return true;
}

task<> hit(std::string_view name) {
  auto const a = take(name);
  if (!a) co_return;
  if (a->content == action::kind::delay) {
    steady_timer timer(co_await asio::this_coro::executor, a->wait);
    co_await timer.async_wait(awaiting);
  }
  act(*a);
}

bool set_clock(std::string_view seconds) {
  int value = 0;
  if (!read_number(seconds, value)) return false;
  offset_seconds = value;
  return true;
}

std::chrono::microseconds clock_offset() {
  return std::chrono::seconds(offset_seconds.load());
}

void hold_clock(std::optional<std::chrono::microseconds> instant) {
  held_at = instant ? instant->count() : -1;
}

std::optional<std::chrono::microseconds> held_clock() {
  auto const micros = held_at.load();
  return micros < 0 ? std::nullopt : std::optional(std::chrono::microseconds(micros));
}

void hit_now(std::string_view name) {
  if (auto const a = take(name)) act(*a);
}

bool is_set(std::string_view name) {
  std::lock_guard const lock(guard);
  return configured.contains(name);
}

}  // namespace svc::failpoint

#endif
