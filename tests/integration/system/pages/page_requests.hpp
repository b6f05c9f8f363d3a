#pragma once

#include "integration/system/overload/resources.hpp"

#include <atomic>
#include <string>
#include <vector>

namespace svc::test {

inline std::string const pages_path = "/api/status-pages";

/// Returns a slug that no other test uses.
inline std::string unused_slug() {
  static std::atomic<int> count = 0;
  return "page-" + std::to_string(++count) + "-of-tests";
}

/// Creates a page and returns its path; `more` are further members such as `,"status":"published"`.
inline std::string make_page(api_client& owner, std::string const& more = "") {
  auto const made = owner.post(pages_path, R"({"name":"Acme","slug":")" + unused_slug() + "\"" + more + "}");
  CAPTURE(made.body);
  return pages_path + "/" + id_of(made);
}

/// Creates a component of the page at `path` and returns its id.
inline std::string make_component(api_client& owner, std::string const& path, std::string const& more = "") {
  auto const made = owner.post(path + "/components", R"({"name":"Checkout")" + more + "}");
  CAPTURE(made.body);
  return id_of(made);
}

/// Returns the first wrong member that an answer names.
inline std::string refused_member(answer const& refused) {
  CAPTURE(refused.body);
  CHECK(code_of(refused) == "validation_failed");
  return text_of(body_of(refused), "/details/0/field");
}

/// Returns the actions of the tenant's audit trail on these resources, oldest first.
inline std::vector<std::string> audited_actions(api_client& owner, std::vector<std::string> const& resources) {
  std::vector<std::string> out;
  auto const trail = body_of(owner.get("/api/audit?limit=100"));
  for (auto const& entry : trail.at("data").as_array())
    for (auto const& resource : resources)
      if (text_of(entry, "/resource") == resource) out.insert(out.begin(), text_of(entry, "/action"));
  return out;
}

}  // namespace svc::test
