// The use of rate limits by the credentials of a project.
#include "svc/api/handlers.hpp"
#include "svc/api/limit_views.hpp"
#include "svc/api/services.hpp"
#include "svc/store/repositories.hpp"

#include <string>
#include <utility>
#include <vector>

namespace svc::api {
namespace {

constexpr std::size_t most_windows = 100;
/// Projects whose windows are kept at once.
constexpr std::size_t most_kept_limits = 200;

/// The subject of each window of a project, and what is shown of it.
struct listed_windows {
  std::vector<access::subject_window> subjects{};
  std::vector<limit_use> shown{};

  void add(std::string subject, limit_use window) {
    if (shown.size() >= most_windows) return;
    subjects.push_back({std::move(subject), window.window});
    shown.push_back(std::move(window));
  }
};

listed_windows windows_of(uuid project, limit_table const& limits,
                          std::vector<store::limited_credential> const& credentials) {
  listed_windows out;
  out.add(project.to_string(), {.window = {rate_class::project, limits.project}});
  for (auto const& each : credentials) {
    if (each.job) {
      out.add(
          each.id.to_string(),
          {.credential = each, .window = {rate_class::trigger, limits.of_key(each.rate_limit, each.rate_window)}});
    } else {
      out.add(each.owner.to_string(), {.credential = each, .window = {rate_class::cli, limits.cli}});
      out.add(each.owner.to_string(), {.credential = each, .window = {rate_class::probe, limits.probe}});
    }
  }
  return out;
}

task<std::vector<limit_use>> read_windows(store::repositories& stores, access::window_reader& windows,
                                          limit_table const& limits, uuid project, deadline until) {
  auto const credentials = co_await stores.tokens.limited(project, most_windows, until);
  auto listed = windows_of(project, limits, credentials);
  auto const uses = co_await windows.read(std::move(listed.subjects), until);
  for (std::size_t i = 0; i < uses.size(); ++i) listed.shown[i].use = uses[i];
  co_return std::move(listed.shown);
}

void use_json(http::json_text& out, call const& c, limit_use const& shown) {
  constexpr std::int64_t milli = 1000;
  if (auto const& credential = shown.credential) {
    out.member("id", credential->id).member("kind", to_string(credential->kind)).member("name", credential->name);
    if (credential->job) out.member("jobId", *credential->job).member("jobName", credential->job_name);
  } else {
    out.member("id", c.caller.project_id).member("kind", "project").member("name", c.caller.project_slug);
  }
  out.member("class", to_string(shown.window.which))
      .member("limit", shown.window.window.limit)
      .member("windowSeconds", shown.window.window.seconds)
      .member("used", shown.use.counted);
  // Rounded up like the header, so that the request has left the window by then.
  if (shown.use.counted > 0) out.member("resetAt", timestamp{(shown.use.reset_micros + milli - 1) / milli * milli});
}

}  // namespace

limit_views::limit_views(asio::io_context& io, store::repositories& stores, access::window_reader& windows,
                         limit_table const& limits)
    : kept_views(
          io,
          [&stores, &windows, &limits](uuid project, deadline until) {
            return read_windows(stores, windows, limits, project, until);
          },
          longest_age, most_kept_limits) {}

task<result<reply>> list_limits(call& c) {
  auto const found = co_await c.use.limit_views.find(c.caller.project_id, c.until);
  http::json_text out;
  out.open_list("credentials");
  for (auto const& each : *found) {
    if (each.window.which == rate_class::probe && each.use.counted == 0) continue;
    out.open_element();
    use_json(out, c, each);
    out.close();
  }
  out.close_list();
  co_return reply{.text = out.take()};
}

}  // namespace svc::api
