#include "svc/http/body_budget.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace svc::http {
namespace {

std::size_t left_of(std::size_t most, std::size_t held) {
  return most - std::min(most, held);
}

}  // namespace

bool body_text::add_piece(std::size_t wanted) {
  // A new piece is as large as all earlier ones together. So there are few pieces, and never more memory than twice
  // the received bytes.
  auto const capacity = std::clamp(std::max(wanted, size_), first_size, piece_size);
  if (!share_.hold(waiting + capacity_ + capacity)) return false;
  pieces_.push_back({std::make_unique_for_overwrite<char[]>(capacity), capacity});
  capacity_ += capacity;
  return true;
}

bool body_text::append(std::string_view bytes) {
  while (!bytes.empty()) {
    if (pieces_.empty() || pieces_.back().size == pieces_.back().capacity) {
      if (!add_piece(bytes.size())) return false;
    }
    auto& piece = pieces_.back();
    auto const taken = bytes.substr(0, piece.capacity - piece.size);
    std::memcpy(piece.bytes.get() + piece.size, taken.data(), taken.size());
    piece.size += taken.size();
    size_ += taken.size();
    bytes.remove_prefix(taken.size());
  }
  return true;
}

std::string body_text::joined() const {
  std::string out;
  for (auto i = first_; i < pieces_.size(); ++i) out.append(pieces_[i].text());
  return out;
}

account_terms terms_of(body_bytes const& most) {
  return {.name = "request_bytes",
          .total = most.process,
          .project_share = most.user,
          .rule = share_rule::remainder,
          .owner_field = "user"};
}

bool body_budget::grow(uuid user, std::size_t bytes) {
  auto const sums = all_.charge({.project = user}, bytes);
  held_ += bytes;
  // Decided after adding: beyond a bound nothing is left, so nobody may hold anything.
  auto decision = decide(all_.terms(), sums, false);
  if (decision == account_decision::granted && sums.project > left_of(worker_, held_))
    decision = account_decision::project_exhausted;
  if (decision == account_decision::granted) return true;
  shrink(user, bytes);
  ++refused_;
  all_.refuse({.project = user}, decision);
  return false;
}

void body_budget::shrink(uuid user, std::size_t bytes) {
  all_.release({.project = user}, bytes);
  held_ -= bytes;
}

body_share::body_share(body_share&& other) noexcept
    : budget_(other.budget_), user_(other.user_), held_(std::exchange(other.held_, 0)) {}

body_share::~body_share() {
  hold(0);
}

bool body_share::hold(std::size_t bytes) {
  if (bytes > held_ && !budget_->grow(user_, bytes - held_)) return false;
  if (bytes < held_) budget_->shrink(user_, held_ - bytes);
  held_ = bytes;
  return true;
}

}  // namespace svc::http
