#include "net/connection_table.hpp"

#include <boost/asio/ip/address.hpp>

#include <algorithm>
#include <string>
#include <utility>

namespace svc::net {
namespace {

/// The kind of a counted holder; part of the holder's key.
enum counted : std::uint8_t { of_network, of_user };

/// Each exempt connection (a proxy's or a local program's) counts like the only connection of its holder.
constexpr std::size_t exempt_weight = 1;

/// A connection that has waited for less time is not closed for a newer one of the same network. It is about to send
/// its first request. Many clients behind one address may connect at the same moment.
constexpr auto grace = std::chrono::seconds(1);

}  // namespace

std::vector<std::size_t> closings(std::span<holding const> all, std::size_t wanted) {
  std::vector<std::size_t> closed(all.size());
  std::vector<std::size_t> heap;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].waiting > 0) heap.push_back(i);
  }
  auto const left = [&](std::size_t i) { return all[i].connections - std::min(all[i].connections, closed[i]); };
  auto const smaller = [&](std::size_t a, std::size_t b) {
    if (left(a) != left(b)) return left(a) < left(b);
    if (all[a].connections != all[b].connections) return all[a].connections < all[b].connections;
    return a > b;  // the first of equals
  };
  std::make_heap(heap.begin(), heap.end(), smaller);
  for (; wanted > 0 && !heap.empty(); --wanted) {
    std::pop_heap(heap.begin(), heap.end(), smaller);
    if (++closed[heap.back()] == all[heap.back()].waiting) {
      heap.pop_back();
    } else {
      std::push_heap(heap.begin(), heap.end(), smaller);
    }
  }
  return closed;
}

std::optional<std::array<std::uint8_t, 16>> client_network(std::string_view address) {
  boost::system::error_code ec;
  auto const parsed = boost::asio::ip::make_address(std::string(address), ec);
  if (ec) return std::nullopt;
  std::array<std::uint8_t, 16> out{};
  if (parsed.is_v4()) {
    // Stored as an IPv4-mapped address, whose /64 belongs to no client.
    out[10] = out[11] = 0xff;
    std::ranges::copy(parsed.to_v4().to_bytes(), out.begin() + 12);
  } else {
    auto const bytes = parsed.to_v6().to_bytes();
    std::copy_n(bytes.begin(), 8, out.begin());
  }
  return out;
}

connection_table::connection_table(session_settings const& settings, std::shared_ptr<shared_counts> counts)
    : settings_(settings), counts_(std::move(counts)) {}

connection_table::holder& connection_table::holder_of(shared_counts::key key) {
  auto& found = holders_[key];
  found.key = key;
  return found;
}

void connection_table::put(entry& which, holder& into) {
  which.holder_ = &into;
  ++into.connections;
}

bool connection_table::enter(entry& which, std::optional<std::string_view> address, steady::time_point now) {
  auto const network = address ? client_network(*address) : std::nullopt;
  if (!network) {
    put(which, exempt_);
    waits(which, now);
    return true;
  }
  auto const key = counts_->key_of(of_network, *network);
  bool taken = counts_->take(key, settings_.connections_per_address);
  if (!taken) {
    ++turned_.address;
    auto const known = holders_.find(key);
    if (known == holders_.end() || known->second.waiting.empty()) return false;
    auto& oldest = known->second.waiting.front();
    if (now - oldest.since_ < grace) return false;
    close(oldest);
    taken = counts_->take(key, settings_.connections_per_address);
  }
  if (!taken) return false;
  put(which, holder_of(key));
  waits(which, now);
  return true;
}

bool connection_table::admitted(entry& which, uuid const& user) {
  if (which.holder_ == nullptr || which.holder_ == &exempt_) return true;
  auto const key = counts_->key_of(of_user, user.bytes);
  if (which.holder_->key == key) return true;
  bool taken = counts_->take(key, settings_.connections_per_user);
  if (!taken) {
    ++turned_.user;
    auto const known = holders_.find(key);
    if (known == holders_.end() || known->second.waiting.empty()) return false;
    close(known->second.waiting.front());
    taken = counts_->take(key, settings_.connections_per_user);
  }
  if (!taken) return false;
  leave(which);
  put(which, holder_of(key));
  return true;
}

void connection_table::waits(entry& which, steady::time_point now) {
  if (which.holder_ == nullptr || which.waits_in_ != nullptr) return;
  which.since_ = now;
  which.waits_in_ = which.on_reserve_ ? &reserve_ : &which.holder_->waiting;
  which.waits_in_->push_back(which);
}

void connection_table::serves(entry& which) {
  auto* const entries = std::exchange(which.waits_in_, nullptr);
  if (entries != nullptr) entries->erase(entries::s_iterator_to(which));
}

void connection_table::leave(entry& which) {
  if (which.holder_ == nullptr) return;
  serves(which);
  auto* const left = std::exchange(which.holder_, nullptr);
  --left->connections;
  if (left == &exempt_) return;
  auto const key = left->key;
  counts_->give_back(key);
  if (left->connections == 0) holders_.erase(key);
}

void connection_table::close(entry& which) {
  leave(which);
  which.make_room();
}

std::size_t connection_table::make_room(std::size_t wanted) {
  std::vector<holding> all;
  std::vector<holder*> whose;
  for (auto& [key, each] : holders_) {
    all.push_back({each.connections, each.waiting.size()});
    whose.push_back(&each);
  }
  all.push_back({exempt_weight, exempt_.waiting.size()});
  whose.push_back(&exempt_);
  auto const closed = closings(all, wanted);
  std::size_t sum = 0;
  for (std::size_t i = 0; i < closed.size(); ++i) {
    sum += closed[i];
    // The holder is destroyed with its last connection.
    for (auto left = closed[i]; left > 0; --left) close(whose[i]->waiting.front());
  }
  turned_.room += sum;
  return sum;
}

std::size_t connection_table::make_room_on_reserve(std::size_t wanted) {
  std::vector<holding> all;
  std::vector<std::pair<holder*, std::vector<entry*>>> whose;
  for (auto& each : reserve_) {
    auto found = std::ranges::find(whose, each.holder_, [](auto const& known) { return known.first; });
    if (found == whose.end()) {
      all.push_back({each.holder_ == &exempt_ ? exempt_weight : each.holder_->connections, 0});
      found = whose.insert(found, {each.holder_, {}});
    }
    found->second.push_back(&each);
    ++all[static_cast<std::size_t>(found - whose.begin())].waiting;
  }
  auto const closed = closings(all, wanted);
  std::size_t sum = 0;
  for (std::size_t i = 0; i < closed.size(); ++i) {
    sum += closed[i];
    for (std::size_t oldest = 0; oldest < closed[i]; ++oldest) close(*whose[i].second[oldest]);
  }
  turned_.room += sum;
  return sum;
}

}  // namespace svc::net
