#include "dispatch/line.hpp"

#include "svc/core/numbers.hpp"

#include <array>

namespace svc::dispatch {
namespace {

/// Takes what stands before the next `mark` off the text.
std::string_view take(std::string_view& text, char mark) {
  auto const end = std::min(text.find(mark), text.size());
  auto const out = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return out;
}

std::optional<dispatch_news> read_queued(std::string_view line) {
  auto const organization = uuid::parse(take(line, ' '));
  auto const project = uuid::parse(take(line, ' '));
  std::string type(take(line, ' '));
  auto const count = parse_number<std::int64_t>(line).value_or(0);
  if (!organization || !project || type.empty() || count < 1) return std::nullopt;
  return dispatch_news{.work = queued_work{*organization, *project, std::move(type), count}};
}

std::optional<dispatch_news> read_line(std::string_view line) {
  auto const kind = take(line, ' ');
  if (kind == "q") return read_queued(line);
  auto const run = kind == "c" ? uuid::parse(line) : std::nullopt;
  if (!run) return std::nullopt;
  return dispatch_news{.cancelled = run};
}

}  // namespace

std::string write_dispatch(std::string_view from, std::vector<dispatch_news> const& news) {
  std::string out(from);
  for (auto const& one : news) {
    if (one.work) {
      out += "\nq " + one.work->organization.to_string() + " " + one.work->project.to_string() + " " +
             one.work->job_type + " " + std::to_string(one.work->count);
    }
    if (one.cancelled) out += "\nc " + one.cancelled->to_string();
  }
  return out;
}

dispatch_message read_dispatch(std::string_view text) {
  dispatch_message out{.from = std::string(take(text, '\n'))};
  while (!text.empty()) {
    if (auto one = read_line(take(text, '\n'))) out.news.push_back(std::move(*one));
  }
  return out;
}

}  // namespace svc::dispatch
