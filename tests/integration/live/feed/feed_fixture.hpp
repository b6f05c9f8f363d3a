#pragma once

#include "integration/live/output/viewers.hpp"
#include "integration/system/jobs.hpp"
#include "integration/system/sessions/browser.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <utility>

namespace svc::test {

/// Returns the request of a page for the changes of a project.
inline std::string feed_request(browser const& page, std::string const& project) {
  return "GET /dashboard/v1/events HTTP/1.1\r\nHost: x\r\nSec-Fetch-Site: same-origin\r\nSvc-Project: " + project +
         "\r\nCookie: " + session_cookie_name + "=" + page.cookie(session_cookie_name) + "\r\n\r\n";
}

/// A project of a fleet, and browsers of its people.
struct feed_project {
  explicit feed_project(fleet& house) : feed_project(house, house.make_tenant()) {}
  feed_project(fleet& house, tenant person) : installation(house), owner(std::move(person)) {}

  /// Returns a browser at that instance, with a new session of this person.
  browser open(tenant const& person, std::size_t instance = 0) const {
    browser out(installation, instance);
    out.sign_in(person.user);
    out.open_project(project);
    return out;
  }
  api_client client(std::size_t instance = 0) const { return installation.client(instance, owner.token); }

  fleet& installation;
  tenant owner;
  std::string project = project_id(installation, owner);
};

using seen = std::function<bool(viewer const&)>;

inline bool has_event(viewer const& viewer, std::string const& name, std::function<bool(std::string const&)> fits) {
  for (std::size_t i = 0; i < viewer.others.size(); ++i)
    if (viewer.others[i] == name && fits(viewer.data[i])) return true;
  return false;
}
inline seen has_ready(long times = 1) {
  return [times](viewer const& viewer) { return std::ranges::count(viewer.others, "ready") >= times; };
}
/// An event names this thing; without an id, it says that there are more.
inline seen names(std::string const& resource, std::string const& id = {}) {
  return [resource, id](viewer const& viewer) {
    return has_event(viewer, "changed", [&](std::string const& data) {
      auto const wanted = id.empty() ? std::string("\"more\":true") : "\"" + id + "\"";
      return data.find("\"resource\":\"" + resource + "\"") != std::string::npos &&
             data.find(wanted) != std::string::npos;
    });
  };
}
/// At least so many events name this thing.
inline seen names_again(std::string const& resource, std::string const& id, long times) {
  return [resource, id, times](viewer const& viewer) {
    return std::ranges::count_if(viewer.data, [&](std::string const& data) {
             return data.find("\"resource\":\"" + resource + "\"") != std::string::npos &&
                    data.find("\"" + id + "\"") != std::string::npos;
           }) >= times;
  };
}
/// The newest state of the run that the viewer has seen.
inline seen shows_run(std::string const& run, std::string const& status) {
  return [run, status](viewer const& viewer) {
    std::string newest;
    for (std::size_t i = 0; i < viewer.others.size(); ++i) {
      auto const position = viewer.data[i].find("{\"id\":\"" + run + "\"");
      if (viewer.others[i] != "runs" || position == std::string::npos) continue;
      std::string const mark = "\"status\":\"";
      auto const start = viewer.data[i].find(mark, position) + mark.size();
      newest = viewer.data[i].substr(start, viewer.data[i].find('"', start) - start);
    }
    return newest == status;
  };
}

/// Subscribers of the project's channel, over all instances of a fleet with one Redis.
inline std::string feed_subscriptions(fleet const& installation, std::string const& project) {
  auto reported = installation.redis({"PUBSUB", "NUMSUB", "svc:{" + project + "}:events"});
  while (reported.ends_with('\n')) reported.pop_back();
  return reported.substr(reported.rfind('\n') + 1);
}

}  // namespace svc::test
