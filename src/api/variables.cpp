#include "api/call_options.hpp"
#include "api/replies.hpp"
#include "api/variable_json.hpp"
#include "svc/api/handlers.hpp"
#include "svc/api/services.hpp"
#include "svc/store/repositories.hpp"

namespace svc::api {

task<result<reply>> list_variables(call& c) {
  auto const found = co_await c.use.stores.variables.list(c.who.project_id, c.page(), c.until);
  co_return page_reply(c, found, variable_json);
}

task<result<reply>> create_variable(call& c) {
  auto wanted = read_variable(c.body.as_object());
  if (!wanted) co_return wanted.error();
  auto const made = co_await c.use.stores.variables.create(edit_by(c), std::move(*wanted), c.until);
  if (!made) co_return made.error();
  co_return created_reply(c, variable_json(*made), made->version, "/api/variables/" + made->id.to_string());
}

task<result<reply>> get_variable(call& c) {
  auto const found = co_await c.use.stores.variables.get(c.who.project_id, c.path_id(), c.until);
  if (!found) co_return found.error();
  co_return reply{.body = variable_json(*found), .version = found->version};
}

task<result<reply>> update_variable(call& c) {
  auto edit = [&c](variable const& current) { return patch_variable(c.contract, current, c.body.as_object()); };
  auto const done = co_await c.use.stores.variables.update(edit_by(c), c.path_id(), std::move(edit), c.until);
  if (!done) co_return done.error();
  co_return reply{.body = variable_json(*done), .version = done->version};
}

task<result<reply>> delete_variable(call& c) {
  auto const done = co_await c.use.stores.variables.remove(edit_by(c), c.path_id(), c.until);
  if (!done) co_return done.error();
  co_return reply{.status = 204};
}

}  // namespace svc::api
