#include "api/edit_by.hpp"
#include "api/location.hpp"
#include "api/tags/tag_json.hpp"
#include "svc/api/handlers.hpp"
#include "svc/api/services.hpp"
#include "svc/store/tag_store.hpp"

namespace svc::api {

task<result<reply>> create_tag(call& c) {
  auto wanted = read_tag(c.body.as_object());
  if (!wanted) co_return wanted.error();
  auto const made = co_await c.use.tags.create(edit_by(c), std::move(*wanted), c.until);
  if (!made) co_return made.error();
  co_return created_reply(c, tag_json(*made), made->version, "/api/tags/" + made->id.to_string());
}

}  // namespace svc::api
