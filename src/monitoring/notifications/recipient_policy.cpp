#include "svc/monitoring/notifications/recipient_policy.hpp"

#include "svc/core/ascii.hpp"

#include <algorithm>

namespace svc::notifications {
namespace {

constexpr std::string_view members_entry = "members", below_prefix = "*.";
constexpr std::size_t longest_domain = 253, longest_label = 63;

bool is_domain_label(std::string_view text) {
  auto const ordinary = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'; };
  return !text.empty() && text.size() <= longest_label && text.front() != '-' && text.back() != '-' &&
         std::ranges::all_of(text, ordinary);
}

bool is_domain_entry(std::string_view text) {
  if (text.size() > longest_domain || text.find('.') == std::string_view::npos) return false;
  for (;;) {
    auto const dot = text.find('.');
    if (!is_domain_label(text.substr(0, dot))) return false;
    if (dot == std::string_view::npos) return true;
    text.remove_prefix(dot + 1);
  }
}

bool entry_matches(std::string_view entry, std::string_view domain) {
  if (!entry.starts_with(below_prefix)) return entry == domain;
  return domain.ends_with(entry.substr(1)) && domain.size() >= entry.size();
}

}  // namespace

recipient_policy::recipient_policy(std::vector<std::string> const& entries) {
  for (auto const& each : entries) {
    if (each == members_entry)
      members_ = true;
    else
      domains_.push_back(each);
  }
}

bool recipient_policy::is_entry(std::string_view text) {
  if (text == members_entry) return true;
  if (text.starts_with(below_prefix)) text.remove_prefix(below_prefix.size());
  return is_domain_entry(text);
}

bool recipient_policy::allows(std::string_view address, std::vector<std::string> const& members) const {
  if (is_open()) return true;
  auto const known = lower_case(address);
  if (members_ && std::ranges::find(members, known) != members.end()) return true;
  auto const domain = std::string_view(known).substr(known.rfind('@') + 1);
  return std::ranges::any_of(domains_, [&](std::string const& entry) { return entry_matches(entry, domain); });
}

}  // namespace svc::notifications
