#include "api/edit_by.hpp"
#include "api/tags/tag_json.hpp"
#include "svc/api/handlers.hpp"
#include "svc/api/services.hpp"
#include "svc/store/tag_store.hpp"

namespace svc::api {

task<result<reply>> update_tag(call& c) {
  auto edit = [patch = c.body.as_object()](tag const& current) { return patch_tag(current, patch); };
  auto const done = co_await c.use.tags.update(edit_by(c), c.path_id(), std::move(edit), c.until);
  if (!done) co_return done.error();
  co_return reply{.body = tag_json(*done), .version = done->version};
}

}  // namespace svc::api
