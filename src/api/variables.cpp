#include "api/call_options.hpp"
#include "api/checked_body.hpp"
#include "api/replies.hpp"
#include "api/resources.hpp"
#include "svc/api/handlers.hpp"
#include "svc/api/services.hpp"
#include "svc/store/repositories.hpp"

namespace svc::api {

void variable_json(http::json_text& out, variable const& variable) {
  out.member("id", variable.id)
      .member("key", variable.key)
      .member_if("value", variable.value)
      .member("isSecret", variable.is_secret)
      .member("description", variable.description)
      .member("createdAt", variable.created_at)
      .member("updatedAt", variable.updated_at);
}

result<store::variable_settings> read_variable(boost::json::object const& body) {
  store::variable_settings out{.key = std::string(body.at("key").as_string()),
                               .is_secret = flag_in(body, "isSecret", false),
                               .description = text_in(body, "description")};
  if (is_reserved_variable(out.key)) return verdict({{"/key", "is reserved"}}).error();
  out.value.emplace(body.at("value").as_string());
  return out;
}

result<store::variable_settings> patch_variable(http::body_validator& contract, variable const& current,
                                                boost::json::object const& patch) {
  // The value of a secret is not known here; an allowed value replaces it.
  auto const merged = patched(contract, "CreateVariable",
                              {{"key", current.key},
                               {"value", current.value.value_or("")},
                               {"isSecret", current.is_secret},
                               {"description", boost::json::value_from(current.description)}},
                              patch);
  if (!merged) return merged.error();
  auto out = read_variable(*merged);
  if (!out || patch.contains("value")) return out;
  out->value.reset();
  if (current.is_secret && !out->is_secret)
    return verdict({{"/value", "is required to make a secret readable"}}).error();
  return out;
}

task<result<reply>> list_variables(call& c) {
  auto const found = co_await c.use.stores.variables.list(c.caller.project_id, c.page(), c.until);
  co_return page_reply(c, found, variable_json);
}

task<result<reply>> create_variable(call& c) {
  auto wanted = read_variable(c.body.as_object());
  if (!wanted) co_return wanted.error();
  auto const made = co_await c.use.stores.variables.create(edit_by(c), std::move(*wanted), c.until);
  if (!made) co_return made.error();
  co_return created(c, shown_reply(c, *made, variable_json), "/api/variables/" + made->id.to_string());
}

task<result<reply>> get_variable(call& c) {
  auto const found = co_await c.use.stores.variables.get(c.caller.project_id, c.path_id(), c.until);
  if (!found) co_return found.error();
  co_return shown_reply(c, *found, variable_json);
}

task<result<reply>> update_variable(call& c) {
  auto edit = [&c](variable const& current) { return patch_variable(c.contract, current, c.body.as_object()); };
  auto const done = co_await c.use.stores.variables.update(edit_by(c), c.path_id(), std::move(edit), c.until);
  if (!done) co_return done.error();
  co_return shown_reply(c, *done, variable_json);
}

task<result<reply>> delete_variable(call& c) {
  auto const done = co_await c.use.stores.variables.remove(edit_by(c), c.path_id(), c.until);
  if (!done) co_return done.error();
  co_return reply{.status = 204};
}

}  // namespace svc::api
