#include "svc/live/feed/feed_events.hpp"

#include <algorithm>

namespace svc::feed {
namespace {

void append_quoted(std::string& out, std::string_view text) {
  out.append("\"").append(text).append("\"");
}

/// Ids, statuses and names of kinds need no escapes.
std::string runs_event(change_set const& changes) {
  std::string out = "event: runs\ndata: {\"changed\":[";
  bool first = true;
  for (auto const& [run, state] : changes.runs()) {
    out += std::exchange(first, false) ? "{\"id\":" : ",{\"id\":";
    append_quoted(out, run.to_string());
    out += ",\"jobId\":";
    if (state.job)
      append_quoted(out, state.job->to_string());
    else
      out += "null";
    out += ",\"status\":";
    append_quoted(out, state.status);
    out += "}";
  }
  return out + "],\"more\":" + (changes.more_runs() ? "true" : "false") + "}\n\n";
}

std::string changed_event(resource kind, change_set const& changes) {
  std::string out = "event: changed\ndata: {\"resource\":";
  append_quoted(out, to_string(kind));
  out += ",\"ids\":[";
  bool first = true;
  for (auto const& id : changes.ids(kind)) {
    if (!std::exchange(first, false)) out += ",";
    append_quoted(out, id.to_string());
  }
  return out + "],\"more\":" + (changes.more(kind) ? "true" : "false") + "}\n\n";
}

std::size_t index_of(std::optional<resource> kind) {
  return kind ? static_cast<std::size_t>(*kind) : resources;
}

/// Without ids: the viewer reads the lists of the kind again.
std::string unnamed_event(std::size_t index) {
  change_set none(collector_bounds);
  if (index == resources) {
    none.add_more_runs();
    return runs_event(none);
  }
  none.add_more(static_cast<resource>(index));
  return changed_event(static_cast<resource>(index), none);
}

}  // namespace

std::string ready_event(std::string_view bundle, std::string_view as_of) {
  std::string out = "event: ready\ndata: {";
  if (!bundle.empty()) {
    out += "\"bundle\":";
    append_quoted(out, bundle);
    out += ",";
  }
  out += "\"asOf\":";
  append_quoted(out, as_of);
  return out + "}\n\n";
}

void event_pace::hear(change_set const& changes) {
  waiting_.add_all_but_runs(changes);
  if (changes.more_runs()) waiting_.add_more_runs();
  for (auto const& [run, state] : changes.runs())
    if (!stale(state)) waiting_.add(state);
}

/// Messages of two instances may arrive in another order than their changes were committed.
bool event_pace::stale(run_state const& state) {
  auto const [known, is_new] = newest_.try_emplace(state.run, state.order);
  if (!is_new && state.order < known->second) return true;
  known->second = state.order;
  if (newest_.size() > most_remembered) newest_.erase(newest_.begin());
  return false;
}

void event_pace::clear() {
  waiting_ = change_set{{.all = kinds * most_named, .kind = most_named}};
}

bool event_pace::waits(std::size_t kind) const {
  if (kind == resources) return !waiting_.runs().empty() || waiting_.more_runs();
  auto const name = static_cast<resource>(kind);
  return !waiting_.ids(name).empty() || waiting_.more(name);
}

steady::time_point event_pace::due(std::size_t kind) const {
  bool const full = sent_.size() == most_in_period;
  return full ? std::max(free_[kind], sent_.front() + period) : free_[kind];
}

steady::time_point event_pace::due() const {
  auto out = steady::time_point::max();
  for (std::size_t kind = 0; kind < kinds; ++kind)
    if (waits(kind)) out = std::min(out, due(kind));
  return out;
}

event_ptr event_pace::take(steady::time_point now) {
  // The kind that has waited for longest is next, so that a busy kind delays no other one for long.
  std::size_t next = kinds;
  for (std::size_t kind = 0; kind < kinds; ++kind)
    if (waits(kind) && due(kind) <= now && (next == kinds || free_[kind] < free_[next])) next = kind;
  if (next == kinds) return nullptr;
  auto made = std::make_shared<feed_event>();
  if (next == resources) {
    made->text = runs_event(waiting_.take_runs());
  } else {
    made->kind = static_cast<resource>(next);
    made->text = changed_event(*made->kind, waiting_.take(*made->kind));
  }
  free_[next] = now + pause;
  if (sent_.size() == most_in_period) sent_.pop_front();
  sent_.push_back(now);
  return made;
}

bool viewer_queue::add(event_ptr const& event) {
  auto const needed = event->kind ? permission_of(*event->kind) : permission::run_view;
  if (!allows(role_, needed)) return false;
  if (waiting_.size() < most_waiting) {
    waiting_.push_back(event);
    return true;
  }
  for (auto const& each : waiting_) lost_.set(index_of(each->kind));
  lost_.set(index_of(event->kind));
  waiting_.clear();
  return true;
}

void viewer_queue::clear() {
  waiting_.clear();
  lost_.reset();
}

std::shared_ptr<std::string const> viewer_queue::take() {
  for (std::size_t i = 0; i < lost_.size(); ++i) {
    if (!lost_.test(i)) continue;
    lost_.reset(i);
    return std::make_shared<std::string const>(unnamed_event(i));
  }
  if (waiting_.empty()) return nullptr;
  auto const next = waiting_.front();
  waiting_.pop_front();
  return {next, &next->text};
}

}  // namespace svc::feed
