#include "api/edit_by.hpp"
#include "svc/api/handlers.hpp"
#include "svc/api/services.hpp"
#include "svc/store/tag_store.hpp"

namespace svc::api {

task<result<reply>> delete_tag(call& c) {
  auto const done = co_await c.use.tags.remove(edit_by(c), c.path_id(), c.until);
  if (!done) co_return done.error();
  co_return reply{.status = 204};
}

}  // namespace svc::api
