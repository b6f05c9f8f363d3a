#include "svc/http/body_text.hpp"

#include <algorithm>
#include <cstring>

namespace svc::http {

bool body_text::add_piece(std::size_t wanted) {
  // As much again as there is: few pieces, and never more than twice what has arrived.
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
    auto& to = pieces_.back();
    auto const taken = bytes.substr(0, to.capacity - to.size);
    std::memcpy(to.bytes.get() + to.size, taken.data(), taken.size());
    to.size += taken.size();
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

}  // namespace svc::http
