#include "redis/multiplexer.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace svc::redis {

bool multiplexer::submit(command_parts const& parts, waiter* waiter) {
  if (ended_ || broken() || waiting_.size() + sent_.size() >= max_commands_) {
    if (waiter != nullptr) settle(*waiter, delivery::unsent);
    return false;
  }
  auto const before = waiting_bytes_.size();
  append_command(waiting_bytes_, parts);
  waiting_.push_back({waiter, waiting_bytes_.size() - before, parts.asking});
  ++counters_.commands;
  return true;
}

bool multiplexer::stage(steady::time_point now) {
  if (block_written_ < block_.size()) return true;
  if (waiting_.empty()) return false;
  block_.clear();
  block_written_ = 0;
  std::swap(block_, waiting_bytes_);
  for (auto const& c : waiting_) {
    sent_.push_back({c.waiter, staged_total_, staged_total_ + c.size, now, c.asking});
    staged_total_ += c.size;
  }
  last_staged_ = now;
  waiting_.clear();
  return true;
}

void multiplexer::wrote(std::size_t count, steady::time_point now) {
  if (count == 0) return;
  if (!silent_since()) last_progress_ = now;
  block_written_ += count;
  written_ += count;
}

void multiplexer::feed(std::string_view bytes, steady::time_point now) {
  last_progress_ = now;
  noticed_.reset();
  parser_.feed(bytes);
}

waiter* multiplexer::next() {
  reply value;
  while (!ended_ && !broken()) {
    auto const step = parser_.next(value);
    if (step == reply_parser::step::incomplete) return nullptr;
    if (step == reply_parser::step::broken) {
      fault_ = "malformed reply: " + std::string(parser_.fault());
      return nullptr;
    }
    // A reply that comes before its command is wholly written answers something else; no later one can be trusted.
    if (sent_.empty() || reply_due(sent_.front()) > written_) {
      fault_ = "reply to no command" + (value.is_error() ? ": " + value.text : std::string());
      return nullptr;
    }
    if (after_a_gap(sent_.front())) {
      fault_ = "an answer after a gap";
      return nullptr;
    }
    // If it was refused, the command itself is redirected.
    if (std::exchange(sent_.front().asking, false)) continue;
    waiter* const waiter = sent_.front().waiter;
    sent_.pop_front();
    ++counters_.replies;
    if (value.is_error()) ++counters_.errors;
    if (waiter == nullptr) continue;
    waiter->result.state = delivery::answered;
    waiter->result.value = std::move(value);
    return waiter;
  }
  return nullptr;
}

/// The offset in the stream behind which the next reply to this command may come.
std::uint64_t multiplexer::reply_due(sent_command const& c) {
  return c.asking ? c.begin + asking_command.size() : c.end;
}

/// Redis executed the previous command no earlier than it was staged, and this one no later than its reply arrived.
bool multiplexer::after_a_gap(sent_command const& answered) {
  auto const before = std::exchange(proven_, answered.staged);
  return longest_gap_ > steady::duration::zero() && before && last_progress_ - *before > longest_gap_;
}

/// Abandons what has left and takes back what has not, if `over` is true for its waiter.
template <class Condition>
void multiplexer::abandon(Condition over, std::vector<waiter*>& gone) {
  for (auto& c : sent_) {
    if (c.waiter == nullptr || !over(*c.waiter)) continue;
    settle(*c.waiter, delivery::missed);
    gone.push_back(std::exchange(c.waiter, nullptr));
  }
  take_back(over, gone);
}

template <class Condition>
void multiplexer::take_back(Condition over, std::vector<waiter*>& gone) {
  std::size_t read = 0;
  std::size_t kept_bytes = 0;
  std::size_t kept = 0;
  for (auto const c : waiting_) {
    if (c.waiter != nullptr && over(*c.waiter)) {
      settle(*c.waiter, delivery::unsent);
      gone.push_back(c.waiter);
    } else {
      std::memmove(waiting_bytes_.data() + kept_bytes, waiting_bytes_.data() + read, c.size);
      kept_bytes += c.size;
      waiting_[kept++] = c;
    }
    read += c.size;
  }
  waiting_bytes_.resize(kept_bytes);
  waiting_.resize(kept);
}

void multiplexer::expire(steady::time_point now, std::vector<waiter*>& gone) {
  abandon([now](waiter const& waiter) { return waiter.until() <= now; }, gone);
}

void multiplexer::give_up(std::vector<waiter*>& gone) {
  abandon([](waiter const& waiter) { return waiter.late().has_value(); }, gone);
}

bool multiplexer::notice_silence(steady::time_point now) {
  auto const due = silence_due();
  if (!due || *due > now) return false;
  noticed_ = now;
  return true;
}

std::optional<steady::time_point> multiplexer::silence_due() const {
  std::optional<steady::time_point> due;
  auto const look = [&](waiter const* waiter) {
    if (waiter != nullptr && waiter->late() && (!due || *waiter->late() < *due)) due = waiter->late();
  };
  for (auto const& c : sent_) look(c.waiter);
  for (auto const& c : waiting_) look(c.waiter);
  if (!due) return std::nullopt;
  if (auto const silent = silent_since()) due = std::max(*due, *silent + prompt_);
  if (noticed_) due = std::max(*due, *noticed_ + prompt_);
  return due;
}

void multiplexer::end(std::vector<waiter*>& gone) {
  ended_ = true;
  for (auto const& c : sent_) {
    if (c.waiter == nullptr) continue;
    settle(*c.waiter, started(c) ? delivery::missed : delivery::unsent);
    gone.push_back(c.waiter);
  }
  for (auto const& c : waiting_) {
    if (c.waiter == nullptr) continue;
    settle(*c.waiter, delivery::unsent);
    gone.push_back(c.waiter);
  }
  sent_.clear();
  waiting_.clear();
  waiting_bytes_.clear();
  block_.clear();
  block_written_ = 0;
}

std::optional<steady::time_point> multiplexer::earliest() const {
  std::optional<steady::time_point> first;
  auto const look = [&](waiter const* waiter) {
    if (waiter != nullptr && (!first || waiter->until() < *first)) first = waiter->until();
  };
  for (auto const& c : sent_) look(c.waiter);
  for (auto const& c : waiting_) look(c.waiter);
  return first;
}

std::optional<steady::time_point> multiplexer::silent_since() const {
  if (sent_.empty() || !started(sent_.front())) return std::nullopt;
  return last_progress_;
}

void multiplexer::settle(waiter& waiter, delivery delivery) {
  waiter.result.state = delivery;
  ++(delivery == delivery::missed ? counters_.missed : counters_.unsent);
}

}  // namespace svc::redis
