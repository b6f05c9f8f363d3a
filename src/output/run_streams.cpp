#include "svc/output/run_streams.hpp"

#include "output/run_stream.hpp"
#include "svc/output/archive.hpp"

namespace svc::output {

run_streams::run_streams(stream_parts parts)
    : parts_(std::move(parts)), audience_(std::make_shared<stream_audience>()) {}

std::shared_ptr<http::body_stream> run_streams::open(stream_places::place place, uuid project, run const& of,
                                                     std::optional<event_id> from, viewer_right by) const {
  return std::make_shared<run_stream>(parts_, audience_, std::move(place), project, of, from, std::move(by));
}

void run_streams::doubt(std::vector<subject_epoch> const& raised) {
  for (auto const& one : raised) audience_->doubt(one);
}

task<result<bool>> run_streams::seen_to_the_end(run of, event_id from, deadline until) const {
  if (!of.completed_at) co_return false;
  auto const found = co_await parts_.stored.stored(of.id, until);
  if (!found) co_return found.error();
  if (found->moving) co_return false;
  if (!found->text) co_return from > event_id{of.attempt, 0};
  auto const& text = *found->text;
  auto const begin = text.size() < 2 ? std::string::npos : text.rfind('\n', text.size() - 2);
  auto rest = std::string_view(text).substr(begin == std::string::npos ? 0 : begin + 1);
  auto const last = next_stored(rest);
  co_return last && last->kind == event_kind::complete&& from >= last->id;
}

}  // namespace svc::output
