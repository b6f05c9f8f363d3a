#include "svc/core/account.hpp"

#include "svc/core/log.hpp"

#include <algorithm>
#include <string>

namespace svc {
namespace {

constexpr uuid no_owner{};

/// The counted resources of a holder, for `shared_counts::key_of`.
constexpr std::uint8_t project_key = 0, organisation_key = 1;

/// Returns an empty text for a nil id.
std::string text_of(uuid const& id) {
  return id == no_owner ? std::string() : id.to_string();
}

std::string_view sentence_of(account_decision decision) {
  switch (decision) {
    case account_decision::granted:
      break;
    case account_decision::total_exhausted:
      return "a shared resource is exhausted: refused what an owner wanted";
    case account_decision::project_exhausted:
      return "an owner has exhausted its share of a shared resource";
    case account_decision::organisation_exhausted:
      return "an organisation has exhausted its share of a shared resource";
  }
  return "an owner was refused a part of a shared resource";
}

}  // namespace

account_decision decide(account_terms const& terms, account_sums const& sums, bool others_wait) {
  if (sums.total > terms.total) return account_decision::total_exhausted;
  if (terms.rule == share_rule::contended && !others_wait) return account_decision::granted;
  auto const left = terms.rule == share_rule::remainder ? terms.total - sums.total : SIZE_MAX;
  if (sums.project > std::min(terms.project_share, left)) return account_decision::project_exhausted;
  if (sums.organisation > terms.organisation_share) return account_decision::organisation_exhausted;
  return account_decision::granted;
}

account_sums account::charge(account_owner const& owner, std::size_t amount) {
  account_sums out;
  if (owner.project != no_owner) out.project = owners_.add(owners_.key_of(project_key, owner.project.bytes), amount);
  if (owner.organisation != no_owner)
    out.organisation = owners_.add(owners_.key_of(organisation_key, owner.organisation.bytes), amount);
  out.total = held_.fetch_add(amount) + amount;
  return out;
}

void account::release(account_owner const& owner, std::size_t amount) {
  if (owner.project != no_owner) owners_.subtract(owners_.key_of(project_key, owner.project.bytes), amount);
  if (owner.organisation != no_owner)
    owners_.subtract(owners_.key_of(organisation_key, owner.organisation.bytes), amount);
  held_.fetch_sub(amount);
}

bool account::hold(account_owner const& owner, std::size_t amount, bool others_wait) {
  // The amount is added first: if two callers want the last part, at least one must see the other.
  auto const decision = decide(terms_, charge(owner, amount), others_wait);
  if (decision == account_decision::granted) return true;
  release(owner, amount);
  refuse(owner, decision);
  return false;
}

account_sums account::sums_of(account_owner const& owner) const {
  account_sums out{.total = held()};
  if (owner.project != no_owner) out.project = owners_.count(owners_.key_of(project_key, owner.project.bytes));
  if (owner.organisation != no_owner)
    out.organisation = owners_.count(owners_.key_of(organisation_key, owner.organisation.bytes));
  return out;
}

account_decision account::decide_for(account_owner const& owner, std::size_t amount, bool others_wait) const {
  auto sums = sums_of(owner);
  for (auto* each : {&sums.total, &sums.project, &sums.organisation}) *each += amount;
  if (owner.project == no_owner) sums.project = 0;
  if (owner.organisation == no_owner) sums.organisation = 0;
  return decide(terms_, sums, others_wait);
}

bool account::due_for_log(shared_counts::key owner, steady::time_point now) {
  // The value is never 0, which means that nothing was logged.
  auto const second = std::chrono::duration_cast<std::chrono::seconds>(now.time_since_epoch()).count() + 1;
  auto& slot = logged_[owner % log_slots];
  auto last = slot.load(std::memory_order_relaxed);
  if (last != 0 && second - last < log_interval) return false;
  return slot.compare_exchange_strong(last, second, std::memory_order_relaxed);
}

bool account::refuse(account_owner const& owner, account_decision decision, steady::time_point now) {
  refused_.fetch_add(1, std::memory_order_relaxed);
  auto const key = owner.project != no_owner ? owners_.key_of(project_key, owner.project.bytes)
                                             : owners_.key_of(organisation_key, owner.organisation.bytes);
  if (!due_for_log(key, now)) return false;
  auto const sums = sums_of(owner);
  bool const whole = decision == account_decision::organisation_exhausted;
  auto const share = whole ? terms_.organisation_share : terms_.project_share;
  log::warn(sentence_of(decision),
            {{"account", terms_.name},
             {terms_.owner_field, text_of(owner.project)},
             {"organisation", text_of(owner.organisation)},
             {"held", static_cast<double>(whole ? sums.organisation : sums.project) / terms_.per_unit},
             {"share", static_cast<double>(std::min(share, terms_.total)) / terms_.per_unit},
             {"heldByAll", static_cast<double>(sums.total) / terms_.per_unit},
             {"total", static_cast<double>(terms_.total) / terms_.per_unit}});
  return true;
}

bool account_share::hold(std::size_t amount, bool others_wait) {
  if (amount > held_ && !account_->hold(owner_, amount - held_, others_wait)) return false;
  if (amount < held_) account_->release(owner_, held_ - amount);
  held_ = amount;
  return true;
}

}  // namespace svc
