// The use of rate limits by the credentials of a project.
#include "svc/access/window_reader.hpp"
#include "svc/api/handlers.hpp"
#include "svc/api/services.hpp"
#include "svc/store/repositories.hpp"

#include <string>
#include <vector>

namespace svc::api {
namespace {

constexpr std::size_t most_windows = 100;

/// A window that the page of limits shows, and the credential that counts on it.
struct shown_window {
  access::subject_window content;
  store::limited_credential const* credential = nullptr;  ///< null: the project
};

/// Returns the windows of the project and of its credentials: at most `most_windows`.
std::vector<shown_window> windows_of(call const& c, std::vector<store::limited_credential> const& credentials) {
  auto const& limits = c.use.limits;
  std::vector<shown_window> out{{{c.caller.project_id.to_string(), {rate_class::project, limits.project}}}};
  auto const add = [&out](std::string subject, rate_class which, window_limit window, auto const& credential) {
    if (out.size() < most_windows) out.push_back({{std::move(subject), {which, window}}, &credential});
  };
  for (auto const& each : credentials) {
    if (each.job) {
      add(each.id.to_string(), rate_class::trigger, limits.of_key(each.rate_limit, each.rate_window), each);
    } else {
      add(each.owner.to_string(), rate_class::cli, limits.cli, each);
      add(each.owner.to_string(), rate_class::probe, limits.probe, each);
    }
  }
  return out;
}

void window_json(http::json_text& out, call const& c, shown_window const& window, access::window_use const& use) {
  constexpr std::int64_t milli = 1000;
  auto const* const credential = window.credential;
  if (credential == nullptr) {
    out.member("id", c.caller.project_id).member("kind", "project").member("name", c.caller.project_slug);
  } else {
    out.member("id", credential->id).member("kind", to_string(credential->kind)).member("name", credential->name);
    if (credential->job) out.member("jobId", *credential->job).member("jobName", credential->job_name);
  }
  auto const& content = window.content.window;
  out.member("class", to_string(content.which))
      .member("limit", content.window.limit)
      .member("windowSeconds", content.window.seconds)
      .member("used", use.counted);
  // Rounded up like the header, so that the request has left the window by then.
  if (use.counted > 0) out.member("resetAt", timestamp{(use.reset_micros + milli - 1) / milli * milli});
}

}  // namespace

task<result<reply>> list_limits(call& c) {
  auto const credentials = co_await c.use.stores.tokens.limited(c.caller.project_id, most_windows, c.until);
  auto const shown = windows_of(c, credentials);
  std::vector<access::subject_window> windows;
  for (auto const& each : shown) windows.push_back(each.content);
  auto const uses = co_await c.use.windows.read(std::move(windows), c.until);
  http::json_text out;
  out.open_list("credentials");
  for (std::size_t i = 0; i < shown.size(); ++i) {
    if (shown[i].content.window.which == rate_class::probe && uses[i].counted == 0) continue;
    out.open_element();
    window_json(out, c, shown[i], uses[i]);
    out.close();
  }
  out.close_list();
  co_return reply{.text = out.take()};
}

}  // namespace svc::api
