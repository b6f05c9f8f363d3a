#include "egress/dns/round.hpp"

#include "egress/dns/message.hpp"

#include <algorithm>

namespace svc::egress {

namespace {

/// The wait for the other family once one has answered. It is short, because some servers never answer AAAA (RFC
/// 4074) and RFC 8305 3 allows only a short one.
constexpr milliseconds grace{300};
constexpr unsigned rcode_server_failure = 2;

}  // namespace

dns_round::dns_round(std::string name, std::vector<record_type> types) : name_(std::move(name)) {
  for (auto const type : types) questions_.push_back({.type = type});
}

void dns_round::begin_step() {
  ++step_;
  waiting_ = 0;
}

void dns_round::take(unsigned step, std::size_t i, std::optional<std::span<std::uint8_t const>> bytes,
                     steady::time_point now) {
  if (step == step_ && waiting_ > 0) --waiting_;
  auto& question = questions_[i];
  if (!bytes || question.good) return;
  auto answer = read_dns_answer(*bytes, name_, question.type);
  if (!answer) answer = dns_answer{.rcode = rcode_server_failure};
  bool const good = answer->rcode == rcode_none || answer->rcode == rcode_name_error;
  if (good && !answer->records.empty() && !patience_) patience_ = now + grace;
  if (good) answered_at_ = now;
  (good ? question.good : question.refused) = std::move(answer);
}

bool dns_round::name_is_unknown() const {
  return std::ranges::any_of(questions_,
                             [](question const& q) { return q.good && q.good->rcode == rcode_name_error; });
}

bool dns_round::complete() const {
  return name_is_unknown() || std::ranges::all_of(questions_, [](question const& q) { return q.good.has_value(); });
}

lookup dns_round::outcome() const {
  for (auto const& q : questions_)
    if (q.good && !q.good->records.empty()) return {failure::none, *q.good};
  if (name_is_unknown()) return {failure::dns_not_found, {.rcode = rcode_name_error}};
  if (complete()) return {failure::dns_not_found, {}};
  for (auto const& q : questions_)
    if (q.refused && !q.good) return {failure::dns_failed, *q.refused};
  return {failure::dns_timeout, {}};
}

std::vector<dns_record> dns_round::records() const {
  std::vector<dns_record> out;
  for (bool const of_v6 : {true, false}) {
    for (auto const& q : questions_)
      if (q.good && (q.type == record_type::aaaa) == of_v6)
        out.insert(out.end(), q.good->records.begin(), q.good->records.end());
  }
  return out;
}

std::chrono::seconds dns_round::ttl() const {
  auto out = std::chrono::seconds::max();
  for (auto const& q : questions_)
    if (q.good && !q.good->records.empty()) out = std::min(out, q.good->ttl);
  return out == std::chrono::seconds::max() ? std::chrono::seconds(0) : out;
}

}  // namespace svc::egress
