#include "monitoring/checks/target_pass.hpp"

#include <algorithm>

namespace svc::checks {
namespace {

/// Bytes, which are shorter than text: the gate keeps one key for each target.
std::string target_key(ip_address const& address, std::uint16_t port) {
  std::string key(address.bytes.begin(), address.bytes.begin() + (address.v4 ? 4 : 16));
  key.push_back(static_cast<char>(port >> 8));
  key.push_back(static_cast<char>(port & 0xff));
  return key;
}

}  // namespace

target_pass::held_permit* target_pass::find(std::string const& where) {
  auto const found = std::ranges::find(permits_, where, &held_permit::first);
  return found == permits_.end() ? nullptr : &*found;
}

deadline target_pass::next_deadline() const {
  if (visited_.empty()) return patience_.first;
  auto const out = deadline::after(std::min(patience_.each, patience_.all));
  return patience_.fixed ? deadline(std::min(out.at(), patience_.fixed->last_retry.at())) : out;
}

task<std::optional<egress::connection_gate::admission>> target_pass::enter(ip_address address, std::uint16_t port,
                                                                           deadline until) {
  auto const where = target_key(address, port);
  std::erase_if(permits_, [&](held_permit const& each) { return each.first != where; });
  if (auto* const held = find(where)) {
    held->second.count();
    co_return admission{{}, until};
  }
  bool const returns = std::ranges::find(visited_, where) != visited_.end();
  bool const first = visited_.empty();
  auto const asked = steady::now();
  auto permit = co_await gate_.enter(where, owner_, returns, next_deadline());
  if (!permit) {
    refused_ = true;
    co_return std::nullopt;
  }
  auto const waited = steady::now() - asked;
  permits_.emplace_back(where, std::move(*permit));
  if (!returns) visited_.push_back(where);
  if (!first) patience_.all -= std::min(patience_.all, std::chrono::ceil<milliseconds>(waited));
  wait_ += waited;
  auto const put_off = until.at() + waited;
  co_return admission{waited, deadline(patience_.fixed ? std::min(put_off, patience_.fixed->end.at()) : put_off)};
}

bool target_pass::try_enter(ip_address const& address, std::uint16_t port) {
  auto const where = target_key(address, port);
  if (find(where) != nullptr) return true;
  auto permit = gate_.try_enter(where, owner_);
  if (!permit) return false;
  permits_.emplace_back(where, std::move(*permit));
  if (std::ranges::find(visited_, where) == visited_.end()) visited_.push_back(where);
  return true;
}

}  // namespace svc::checks
