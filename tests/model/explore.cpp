#include "model/explore.hpp"

#include <algorithm>
#include <cstring>

namespace svc::model {
namespace {

std::uint64_t mixed(std::uint64_t h) {
  h ^= h >> 32;
  h *= 0xd6e8feb86659fd93U;
  return h ^ (h >> 32);
}

std::uint64_t hash_of(state const& s) {
  std::array<std::uint64_t, (sizeof(state) + 7) / 8> words{};
  std::memcpy(words.data(), &s, sizeof s);
  std::uint64_t h = 1;
  for (std::uint64_t w : words) h = (h ^ w) * 0x9e3779b97f4a7c15U + (h >> 29);
  return mixed(h);
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
    std::size_t at = h & (table_.size() - 1);
    while (table_[at] != 0) {
      if (table_[at] == h) return false;
      at = (at + 1) & (table_.size() - 1);
    }
    table_[at] = h;
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

/// Somebody waits, and only the environment could move.
bool stuck(state const& s, std::vector<step> const& next) {
  if (std::ranges::any_of(next, [](step n) { return !is_environment(n); })) return false;
  bool const request_waits = std::ranges::any_of(
      s.requests, [](request const& q) { return q.phase != going::done && q.phase != going::waiting; });
  bool const change_waits = std::ranges::any_of(
      s.changes, [](change const& c) { return c.phase != doing::done && c.phase != doing::idle && c.frozen == 0; });
  return request_waits || change_waits;
}

struct frame {
  state at;
  std::vector<step> next{};
  std::size_t taken = 0;
};

std::string trace_of(std::vector<frame> const& path) {
  std::string out;
  for (frame const& f : path) out += "\n  " + describe(f.next[f.taken - 1], f.at);
  return out;
}

}  // namespace

outcome explore(world const& where, rules const& with) {
  simulator simulated(where, with);
  outcome out;
  visited seen;
  std::vector<frame> path;
  path.push_back({simulated.initial()});
  simulated.enabled(path.back().at, path.back().next);
  seen.add(hash_of(path.back().at));
  while (!path.empty() && out.broken == nullptr) {
    frame& top = path.back();
    if (top.taken == top.next.size()) {
      path.pop_back();
      continue;
    }
    state to = top.at;
    out.broken = simulated.apply(to, top.next[top.taken++]);
    if (out.broken != nullptr || !seen.add(hash_of(to))) continue;
    path.push_back({to});
    simulated.enabled(to, path.back().next);
    if (stuck(to, path.back().next)) {
      path.pop_back();
      out.broken = hangs;
    }
  }
  if (out.broken != nullptr) out.trace = where.name + ": " + out.broken + trace_of(path);
  out.states = seen.size();
  out.counted = simulated.tallied();
  return out;
}

}  // namespace svc::model
