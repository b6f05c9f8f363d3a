#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>
#include <vector>

namespace svc::model {

/// Returns the hash of a state without padding, by its bytes.
template <class State>
std::uint64_t hash_of(State const& s) {
  static_assert(std::has_unique_object_representations_v<State> && std::is_trivially_copyable_v<State>);
  std::array<std::uint64_t, (sizeof(State) + 7) / 8> words{};
  std::memcpy(words.data(), &s, sizeof s);
  std::uint64_t h = 1;
  for (std::uint64_t w : words) h = (h ^ w) * 0x9e3779b97f4a7c15U + (h >> 29);
  h ^= h >> 32;
  h *= 0xd6e8feb86659fd93U;
  return h ^ (h >> 32);
}

/// A set of hashes; 0 is never a member.
class visited {
 public:
  bool add(std::uint64_t h) {
    h |= h == 0 ? 1 : 0;
    if (2 * used_ >= table_.size()) grow();
    return put(h);
  }
  std::uint64_t size() const { return used_; }

 private:
  bool put(std::uint64_t h) {
    std::size_t position = h & (table_.size() - 1);
    while (table_[position] != 0) {
      if (table_[position] == h) return false;
      position = (position + 1) & (table_.size() - 1);
    }
    table_[position] = h;
    ++used_;
    return true;
  }
  void grow() {
    std::vector<std::uint64_t> old(2 * table_.size());
    old.swap(table_);
    used_ = 0;
    for (std::uint64_t h : old) {
      if (h != 0) put(h);
    }
  }

  std::vector<std::uint64_t> table_ = std::vector<std::uint64_t>(1024);
  std::uint64_t used_ = 0;
};

}  // namespace svc::model
