#include "api/standing.hpp"

#include "api/gate.hpp"
#include "svc/api/call.hpp"

namespace svc::api {
namespace {

constexpr std::chrono::seconds look_patience{2};

}  // namespace

std::function<task<bool>()> standing::check_for(call const& c) {
  // The operation is the contract's, which lives as long as the process.
  return [this, secret = c.secret.value(), op = &c.operation, project = c.who.project_id,
          address = c.request.client_address] { return holds(secret, op, project, address); };
}

task<bool> standing::holds(sha256_digest secret, http::operation const* op, uuid project, std::string address) {
  auto const until = deadline::after(look_patience);
  if (!fallback_.redis().is_open()) {
    auto const held = who_.held(secret);
    auto record = held.record;
    if (!record) record = (co_await who_.fetch(secret, until)).record;
    if (record) {
      auto const& who = record->who;
      auto const proof = co_await admission_.admit(
          {who.subject.to_string(), epoch_mode::cached, who.epoch, rate_class::cli, {0, 1}}, until);
      // A limit of 0 admits nobody; that it was looked at means that the epoch is the record's.
      if (proof.verdict == limits::admission_verdict::denied) {
        if (held.unpublished) who_.keep(secret, record, true);
        co_return good(*record, *op, project);
      }
    }
  }
  auto const read = co_await who_.read({secret, steady::now(), true, std::move(address)}, until);
  co_return read.record&& good(*read.record, *op, project);
}

bool standing::good(token_record const& record, http::operation const& op, uuid project) const {
  http::route const route{.found = &op};
  if (refusal_of(record, route, who_.clock().now().value_or(record.read_at))) return false;
  auto const needed = parse_permission(op.permission);
  return record.who.project_id == project && (!needed || allows(record.who.owner_role, *needed));
}

}  // namespace svc::api
