#include "svc/live/feed/changes.hpp"

#include "svc/core/numbers.hpp"

#include <algorithm>

namespace svc::feed {
namespace {

struct resource_row {
  std::string_view name;
  permission needed;
};

#define SVC_FEED_RESOURCE(name, needed) {#name, permission::needed},
constexpr std::array<resource_row, resources> resource_rows{{SVC_FEED_RESOURCES(SVC_FEED_RESOURCE)}};
#undef SVC_FEED_RESOURCE

constexpr std::string_view channel_head = "svc:{", channel_tail = "}:events";
/// The longest status that a message may bring; a longer one is no status.
constexpr std::size_t longest_status = 32;

/// Takes the text before the next `mark`, and the mark, off the front.
std::string_view take_word(std::string_view& text, char mark) {
  auto const end = std::min(text.find(mark), text.size());
  auto const out = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return out;
}

bool is_status(std::string_view text) {
  return !text.empty() && text.size() <= longest_status &&
         std::ranges::all_of(text, [](char c) { return (c >= 'a' && c <= 'z') || c == '_'; });
}

void read_state(std::string_view line, change_set& out) {
  auto const run = uuid::parse(take_word(line, ' '));
  auto const job_word = take_word(line, ' ');
  auto const job = uuid::parse(job_word);
  auto const status = take_word(line, ' ');
  auto const order = parse_number<std::int64_t>(line);
  if (!run || (!job && job_word != "-") || !is_status(status) || !order) return;
  out.add({.run = *run, .job = job, .status = std::string(status), .order = *order});
}

void read_ids(std::string_view line, change_set& out) {
  auto const kind = parse_resource(take_word(line, ' '));
  if (!kind) return;
  while (!line.empty())
    if (auto const id = uuid::parse(take_word(line, ' '))) out.add(*kind, *id);
}

void read_more(std::string_view line, change_set& out) {
  if (line.empty()) return out.add_more_runs();
  if (auto const kind = parse_resource(line)) out.add_more(*kind);
}

}  // namespace

std::string_view to_string(resource name) {
  return resource_rows[static_cast<std::size_t>(name)].name;
}

std::optional<resource> parse_resource(std::string_view name) {
  auto const found = std::ranges::find(resource_rows, name, &resource_row::name);
  if (found == resource_rows.end()) return std::nullopt;
  return static_cast<resource>(found - resource_rows.begin());
}

permission permission_of(resource name) {
  return resource_rows[static_cast<std::size_t>(name)].needed;
}

void change_set::add(run_state state) {
  if (auto const found = runs_.find(state.run); found != runs_.end()) {
    if (state.order >= found->second.order) found->second = std::move(state);
    return;
  }
  if (count_ >= most_.all || runs_.size() >= most_.kind) return add_more_runs();
  ++count_;
  auto const run = state.run;
  runs_.emplace(run, std::move(state));
}

void change_set::add(resource kind, uuid id) {
  auto& known = ids_[static_cast<std::size_t>(kind)];
  if (known.contains(id)) return;
  if (count_ >= most_.all || known.size() >= most_.kind) return add_more(kind);
  ++count_;
  known.insert(id);
}

void change_set::add_all_but_runs(change_set const& others) {
  for (std::size_t i = 0; i < resources; ++i)
    for (auto const& id : others.ids_[i]) add(static_cast<resource>(i), id);
  more_ |= others.more_;
}

change_set change_set::take_runs() {
  change_set out(most_);
  out.runs_.swap(runs_);
  out.count_ = out.runs_.size();
  std::swap(out.more_runs_, more_runs_);
  count_ -= out.count_;
  return out;
}

change_set change_set::take(resource kind) {
  auto const index = static_cast<std::size_t>(kind);
  change_set out(most_);
  out.ids_[index].swap(ids_[index]);
  out.count_ = out.ids_[index].size();
  out.more_.set(index, more_.test(index));
  more_.reset(index);
  count_ -= out.count_;
  return out;
}

std::string channel_of(uuid const& project) {
  return std::string(channel_head) + project.to_string() + std::string(channel_tail);
}

std::optional<uuid> project_of_channel(std::string_view channel) {
  if (!channel.starts_with(channel_head) || !channel.ends_with(channel_tail)) return std::nullopt;
  if (channel.size() != channel_head.size() + uuid::text_size + channel_tail.size()) return std::nullopt;
  return uuid::parse(channel.substr(channel_head.size(), uuid::text_size));
}

std::string write_changes(change_set const& changes) {
  std::string out;
  out.reserve(changes.size() * 2 * (uuid::text_size + 1));
  for (auto const& [run, state] : changes.runs()) {
    out.append("s ").append(run.to_string()).append(" ").append(state.job ? state.job->to_string() : "-");
    out.append(" ").append(state.status).append(" ").append(std::to_string(state.order)).append("\n");
  }
  if (changes.more_runs()) out += "m\n";
  for (std::size_t i = 0; i < resources; ++i) {
    auto const kind = static_cast<resource>(i);
    if (!changes.ids(kind).empty()) {
      out.append("c ").append(to_string(kind));
      for (auto const& id : changes.ids(kind)) out.append(" ").append(id.to_string());
      out += "\n";
    }
    if (changes.more(kind)) out.append("m ").append(to_string(kind)).append("\n");
  }
  return out;
}

change_set read_changes(std::string_view message) {
  change_set out(collector_bounds);
  while (!message.empty()) {
    auto line = take_word(message, '\n');
    auto const word = take_word(line, ' ');
    if (word == "s") read_state(line, out);
    if (word == "c") read_ids(line, out);
    if (word == "m") read_more(line, out);
  }
  return out;
}

}  // namespace svc::feed
