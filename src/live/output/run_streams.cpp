#include "svc/live/output/run_streams.hpp"

#include "live/output/run_stream.hpp"
#include "svc/live/output/archive.hpp"

#include <string>

namespace svc::output {
namespace {

error reached(std::string_view holder, std::size_t most) {
  return {errc::stream_limit_reached, std::string(holder) + " has " + std::to_string(most) +
                                          " streams open, the most it may have; close one first."};
}

}  // namespace

account_terms terms_of(stream_limits const& limits) {
  return {.name = "streams", .total = limits.all, .project_share = limits.project};
}

stream_slots::slot::~slot() {
  if (slots_ == nullptr) return;
  slots_->tokens_.give_back(token_);
  slots_->all_.release({.project = project_}, 1);
}

result<stream_slots::slot> stream_slots::take(uuid const& token, uuid const& project) {
  auto const by_token = tokens_.key_of(0, token.bytes);
  // The narrowest limit first, so that a token over its own limit is told of that one.
  if (!tokens_.take(by_token, limits_.token)) return reached("This token", limits_.token);
  account_owner const owner{.project = project};
  auto const sums = all_.charge(owner, 1);
  slot taken(*this, by_token, project);
  auto const decision =
      sums.project > limits_.project ? account_decision::project_exhausted : decide(all_.terms(), sums, false);
  if (decision == account_decision::granted) return taken;
  all_.refuse(owner, decision);
  if (decision == account_decision::project_exhausted) return reached("This project", limits_.project);
  return reached("This instance", limits_.all);
}

run_streams::run_streams(stream_parts parts)
    : parts_(std::move(parts)), audience_(std::make_shared<stream_audience>()) {}

viewer_parts run_streams::viewing(gauge open) const {
  return {parts_.io, audience_, open, parts_.heartbeat};
}

std::shared_ptr<http::body_stream> run_streams::open(stream_slots::slot slot, uuid project, run const& run,
                                                     std::optional<event_id> id, viewer_right right) const {
  return std::make_shared<run_stream>(parts_, viewing(parts_.open), std::move(slot), project, run, id,
                                      std::move(right));
}

void run_streams::revalidate(std::vector<subject_epoch> const& bumped) {
  for (auto const& epoch : bumped) audience_->revalidate(epoch);
}

task<result<bool>> run_streams::seen_to_the_end(uuid project, run run, event_id id, deadline until) const {
  if (!run.completed_at) co_return false;
  auto const found = co_await parts_.stored.stored(project, run.id, until);
  if (!found) co_return found.error();
  if (found->moving) co_return false;
  if (!found->text) co_return id > event_id{run.attempt, 0};
  auto const& text = *found->text;
  auto const begin = text.size() < 2 ? std::string::npos : text.rfind('\n', text.size() - 2);
  auto rest = std::string_view(text).substr(begin == std::string::npos ? 0 : begin + 1);
  auto const last = next_stored(rest);
  co_return last && last->kind == event_kind::complete&& id >= last->id;
}

}  // namespace svc::output
