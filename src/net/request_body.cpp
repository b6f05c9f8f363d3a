#include "net/request_body.hpp"

#include <boost/asio/buffer.hpp>

#include <algorithm>
#include <numeric>

namespace svc::net {

body_pace::body_pace(pace_limits const& limits, steady::time_point start)
    : slot_length_(limits.window / slots),
      least_(limits.least),
      slot_end_(start + slot_length_),
      end_(start + limits.total) {}

void body_pace::advance(steady::time_point now) {
  if (now >= end_) slow_ = true;
  while (!slow_ && now >= slot_end_) {
    finished_ = std::min(finished_ + 1, slots);
    if (finished_ == slots && std::accumulate(counted_.begin(), counted_.end(), std::size_t{0}) < least_) {
      slow_ = true;
    }
    current_ = (current_ + 1) % slots;
    counted_[current_] = 0;
    slot_end_ += slot_length_;
  }
}

void body_pace::count(steady::time_point now, std::size_t bytes) {
  advance(now);
  counted_[current_] += bytes;
}

bool body_pace::too_slow(steady::time_point now) {
  advance(now);
  return slow_;
}

steady::time_point body_pace::due() const {
  // No verdict before a whole window has ended.
  auto const missing = static_cast<steady::duration::rep>(finished_ < slots ? slots - finished_ - 1 : 0);
  return std::min(end_, slot_end_ + slot_length_ * missing);
}

chunked_body::chunked_body(std::size_t limit) : policy_(limit) {
  // The real head has been checked already. Beast only needs a head that announces chunks, and would copy the fields
  // of the real one.
  static constexpr std::string_view head = "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n";
  parser_.eager(false);
  parser_.body_limit(limit);
  put(head);
  parser_.eager(true);
}

std::optional<std::size_t> chunked_body::put(std::string_view bytes) {
  boost::system::error_code ec;
  auto const used = parser_.put(boost::asio::buffer(bytes.data(), bytes.size()), ec);
  if (ec && ec != boost::beast::http::error::need_more) return std::nullopt;
  return used;
}

bool chunked_body::decode(std::string_view checked, bool last) {
  // Beast asserts (1.81) that a last chunk which it sees a second time has its five bytes.
  static constexpr std::size_t enough = 5;
  if (!pending_.empty()) {
    pending_.append(checked);
    checked = pending_;
  }
  std::size_t used = 0;
  if (last || checked.size() >= enough) {
    auto const taken = put(checked);
    if (!taken) return false;
    used = *taken;
  }
  if (pending_.empty()) {
    pending_.assign(checked.substr(used));
  } else {
    pending_.erase(0, used);
  }
  return parser_.is_done() == last && (!last || pending_.empty());
}

http::chunk_guard::outcome chunked_body::feed(std::string_view bytes) {
  auto outcome = policy_.feed(bytes);
  if (outcome.verdict == http::verdict::refused) return outcome;
  if (!decode(bytes.substr(0, outcome.passed), outcome.verdict == http::verdict::complete)) {
    disagreed_ = true;
    outcome.verdict = http::verdict::refused;
  }
  return outcome;
}

error chunked_body::refusal() const {
  return disagreed_ ? error(errc::malformed_request, "The chunked body is malformed.") : policy_.refusal();
}

}  // namespace svc::net
