#include "svc/core/masker.hpp"

#include "svc/core/deadline.hpp"

#include <boost/asio/post.hpp>

#include <algorithm>
#include <exception>
#include <utility>

namespace svc {
namespace {

// Shorter lines of a longer secret ("}", "--") are not secret, and masking them would leave the output unreadable.
constexpr std::size_t shortest_line = 4;

/// Adds the lines of a longer secret, because programs often join or trim lines.
void add_lines(std::string_view secret, std::vector<std::string_view>& texts) {
  for (auto rest = secret; !rest.empty();) {
    auto line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.size() >= shortest_line && line.size() < secret.size()) texts.push_back(line);
  }
}

/// The state of one construction. It belongs to the builder's thread until that thread posts `tell`, then to the
/// loop's thread.
struct building {
  explicit building(asio::io_context& io) : ready(io.get_executor(), steady::time_point::max()) {}

  secret_patterns_ptr made{};
  std::exception_ptr failure{};
  bool done = false;
  steady_timer ready;  ///< never expires
};

void notify(std::shared_ptr<building> const& building) {
  building->done = true;
  building->ready.cancel();
}

void build(building& building, std::vector<secret_string> const& secrets) {
  try {
    building.made = std::make_shared<secret_patterns const>(secrets);
  } catch (...) {
    building.failure = std::current_exception();
  }
}

}  // namespace

std::vector<std::string_view> secret_patterns::collect(std::vector<secret_string> const& secrets) {
  std::vector<std::string_view> out;
  for (auto const& secret : secrets) {
    out.push_back(secret.reveal());
    add_lines(secret.reveal(), out);
  }
  return out;
}

std::string masker::feed(std::string_view bytes) {
  if (!patterns_ || patterns_->automaton().empty()) return std::string(bytes);
  held_.append(bytes);
  for (char const c : bytes) look(c);
  if (end_ - open(0) > most_held) {
    base64_.reset();
    hex_.reset();
    for (auto& each : escapes_) each.reset();
  }
  return take(open(0));
}

void masker::look(char c) {
  auto const& secrets = patterns_->automaton();
  auto const here = end_++;
  state_ = secrets.next(state_, c);
  if (auto const size = secrets.match(state_); size != 0) just_found_.push_back({end_ - size, end_});
  base64_.put(secrets, c, here, just_found_);
  hex_.put(secrets, c, here, just_found_);
  for (auto& each : escapes_) each.put(secrets, c, here, just_found_);
  for (auto const& each : just_found_) add({each});
  just_found_.clear();
}

std::size_t masker::open(std::size_t least) const {
  auto out = std::min({end_ - patterns_->automaton().open(state_), base64_.open(least), hex_.open(least)});
  for (auto const& each : escapes_) out = std::min(out, each.open(least));
  return std::max(out, begin_);
}

std::string masker::release() {
  if (!holds_line()) return {};
  return take(std::min(open(sure_beginning), begin_ + held_.rfind('\n') + 1));
}

std::string masker::finish() {
  return take(end_);
}

void masker::add(range found) {
  // The masker cannot mask released bytes any more.
  found.begin = std::max(found.begin, begin_);
  auto behind = found_.end();
  while (behind != found_.begin() && std::prev(behind)->begin >= found.end) --behind;
  auto first = behind;
  while (first != found_.begin() && std::prev(first)->end > found.begin) {
    --first;
    found.begin = std::min(found.begin, first->begin);
    found.end = std::max(found.end, first->end);
    found.shown = found.shown || first->shown;
  }
  found_.insert(found_.erase(first, behind), found);
}

std::string masker::take(std::size_t until) {
  std::string out;
  auto position = begin_;
  while (!found_.empty() && found_.front().begin < until) {
    auto& first = found_.front();
    if (first.begin > position) out.append(held_, position - begin_, first.begin - position);
    if (!first.shown) out.append(mask);
    first.shown = true;
    position = std::min(first.end, until);
    // The range stays, because a later one may still overlap it.
    if (first.end > until) break;
    found_.pop_front();
  }
  if (position < until) out.append(held_, position - begin_, until - position);
  held_.erase(0, until - begin_);
  begin_ = until;
  return out;
}

task<secret_patterns_ptr> build_patterns(asio::io_context& io, asio::thread_pool& builders,
                                         std::vector<secret_string> secrets) {
  auto const shared = std::make_shared<building>(io);
  asio::post(builders, [&io, shared, secrets = std::move(secrets)] {
    build(*shared, secrets);
    asio::post(io, [shared] { notify(shared); });
  });
  while (!shared->done) static_cast<void>(co_await shared->ready.async_wait(awaiting));
  if (shared->failure) std::rethrow_exception(shared->failure);
  co_return shared->made;
}

}  // namespace svc
