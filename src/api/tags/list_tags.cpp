#include "api/tags/tag_json.hpp"
#include "svc/api/handlers.hpp"
#include "svc/api/services.hpp"
#include "svc/store/tag_store.hpp"

namespace svc::api {

task<result<reply>> list_tags(call& c) {
  auto const found = co_await c.use.tags.list(c.who.project_id, c.page(), c.until);
  co_return page_reply(c, found, tag_json);
}

}  // namespace svc::api
