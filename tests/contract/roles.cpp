// A role without permission.
#include "contract/provoker.hpp"

namespace svc::test {

std::vector<provoker> roles(contract_fixture& s) {
  auto const viewer = s.make_user(s.main().project, "project_viewer");
  auto const token = s.make_token(s.main().project, viewer);
  auto const made =
      s.admin({"create-trigger-key", "--job", s.main().ids.at("jobs"), "--owner", viewer, "--name", "viewer's own"});
  std::string const key(made.at("key").as_string());

  std::vector<provoker> out;
  out.push_back({"permission_denied", "viewer", any_operation, [&s, token](http::operation const& op) {
                   auto r = s.good(op);
                   r.token = token;
                   return std::vector{s.ask(op, r)};
                 }});
  out.push_back({"permission_denied", "viewer's key", takes_trigger, [&s, key](http::operation const& op) {
                   auto r = s.good(op);
                   r.token = key;
                   return std::vector{s.ask(op, r)};
                 }});
  return out;
}

}  // namespace svc::test
