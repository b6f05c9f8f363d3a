// Rotating credentials of others, or that are no longer active.
#include "contract/provoker.hpp"

namespace svc::test {
namespace {

bool rotates(http::operation const& op) {
  return op.id.starts_with("rotate_");
}

/// `/rotate` of a credential made here and ended by `end`.
std::vector<attempt> play_inactive(contract_fixture& s, http::operation const& op, contract_tenant const& input,
                                   std::string const& name,
                                   void (*end)(contract_fixture&, contract_tenant const&, std::string const& path,
                                               std::string const& id)) {
  auto r = s.good(op, input);
  auto const text = r.target.substr(0, r.target.rfind('/'));
  auto const shelf = text.substr(0, text.rfind('/'));
  auto const made = s.must(201, {"POST", shelf, input.token, R"({"name":")" + name + R"("})"});
  auto const& credential = made.at(made.as_object().contains("token") ? "token" : "triggerKey");
  std::string const id(credential.at("id").as_string());
  end(s, input, shelf + "/" + id, id);
  r.target = shelf + "/" + id + "/rotate";
  return {s.ask(op, r, name)};
}

}  // namespace

std::vector<provoker> rotating(contract_fixture& s) {
  auto const where = s.make_tenant();
  auto const other = s.make_token(where.project, s.make_user(where.project, "project_admin"));
  std::vector<provoker> out;
  out.push_back({"not_token_owner", "another administrator", rotates, [&s, where, other](http::operation const& op) {
                   auto r = s.good(op, where);
                   r.token = other;
                   return std::vector{s.ask(op, r)};
                 }});
  out.push_back({"token_not_active", "disabled", rotates, [&s, where](http::operation const& op) {
                   return play_inactive(s, op, where, "disabled",
                                        [](contract_fixture& fixture, contract_tenant const& input,
                                           std::string const& path, std::string const&) {
                                          fixture.must(200, {"PATCH", path, input.token, R"({"enabled":false})"});
                                        });
                 }});
  out.push_back(
      {"token_not_active", "expired", rotates, [&s, where](http::operation const& op) {
         return play_inactive(
             s, op, where, "expired",
             [](contract_fixture& target, contract_tenant const&, std::string const&, std::string const& id) {
               target.sql().run("UPDATE tokens SET expires_at = clock_timestamp() WHERE id = $1", {id});
             });
       }});
  return out;
}

}  // namespace svc::test
