#include "runner/masker.hpp"

#include <algorithm>
#include <utility>

namespace svc::runner {
namespace {

// Shorter lines of a longer secret ("}", "--") are no secret, and masking them would leave nothing readable.
constexpr std::size_t shortest_line = 4;

struct range {
  std::size_t begin;
  std::size_t end;
};

void add_lines(std::string const& secret, std::vector<std::string>& out) {
  std::string_view rest = secret;
  while (!rest.empty()) {
    auto line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.size() >= shortest_line && line.size() < secret.size()) out.emplace_back(line);
  }
}

/// All places where a secret stands, joined where they overlap, in order. The first `masked` bytes belong to one.
std::vector<range> covered(std::string_view text, std::size_t masked, std::vector<std::string> const& secrets) {
  std::vector<range> found;
  if (masked != 0) found.push_back({0, masked});
  for (auto const& secret : secrets)
    for (auto at = text.find(secret); at != std::string_view::npos; at = text.find(secret, at + 1))
      found.push_back({at, at + secret.size()});
  std::sort(found.begin(), found.end(), [](range a, range b) { return a.begin < b.begin; });
  std::vector<range> out;
  for (auto const& each : found) {
    if (!out.empty() && each.begin < out.back().end) {
      out.back().end = std::max(out.back().end, each.end);
    } else {
      out.push_back(each);
    }
  }
  return out;
}

}  // namespace

masker::masker(std::vector<std::string> const& secrets) {
  for (auto const& secret : secrets) {
    if (secret.empty()) continue;
    secrets_.push_back(secret);
    add_lines(secret, secrets_);
  }
  std::sort(secrets_.begin(), secrets_.end());
  secrets_.erase(std::unique(secrets_.begin(), secrets_.end()), secrets_.end());
  for (auto const& secret : secrets_) longest_ = std::max(longest_, secret.size());
}

std::string masker::feed(std::string_view bytes) {
  if (secrets_.empty()) return std::string(bytes);
  held_.append(bytes);
  return take(false);
}

std::string masker::finish() {
  return take(true);
}

std::size_t masker::open_beginning() const {
  auto const size = held_.size();
  for (auto at = size - std::min(size, longest_ - 1); at < size; ++at) {
    auto const tail = std::string_view(held_).substr(at);
    for (auto const& secret : secrets_)
      if (secret.size() > tail.size() && std::string_view(secret).starts_with(tail)) return at;
  }
  return size;
}

std::string masker::take(bool all) {
  if (held_.empty()) return {};
  auto const until = all ? held_.size() : open_beginning();
  auto const ranges = covered(held_, masked_, secrets_);
  std::string out;
  std::size_t at = 0;
  for (auto const& r : ranges) {
    if (r.begin >= until) break;
    out.append(held_, at, r.begin - at);
    // What begins where an earlier piece ended has its mask already.
    if (r.begin != 0 || masked_ == 0) out.append(mask);
    at = r.end;
  }
  if (at < until) out.append(held_, at, until - at);
  auto const end = std::max(at, masked_);
  masked_ = end > until ? end - until : 0;
  held_.erase(0, until);
  return out;
}

}  // namespace svc::runner
