#include "api/call_options.hpp"
#include "api/pages.hpp"
#include "svc/api/handlers.hpp"
#include "svc/api/services.hpp"
#include "svc/store/repositories.hpp"

namespace svc::api {

void subscriber_json(http::json_text& out, uuid const& page, pages::subscriber const& subscriber) {
  out.member("id", subscriber.id)
      .member("pageId", page)
      .member("email", subscriber.email)
      .member("status", pages::to_text(subscriber.state))
      .open_list("componentIds");
  for (auto const& id : subscriber.components) out.element(id);
  out.close_list()
      .member("confirmedAt", subscriber.confirmed_at)
      .member("createdAt", subscriber.created_at)
      .member("updatedAt", subscriber.confirmed_at.value_or(subscriber.created_at));
}

task<result<reply>> list_subscribers(call& c) {
  auto const found = co_await c.use.stores.subscriber_lists.list(c.caller.project_id, c.path_id(), c.page(), c.until);
  if (!found) co_return found.error();
  co_return page_reply(c, *found, [&](http::json_text& out) {
    for (auto const& subscriber : found->rows) {
      out.open_element();
      subscriber_json(out, c.path_id(), subscriber);
      out.close();
    }
  });
}

task<result<reply>> delete_subscriber(call& c) {
  auto const done =
      co_await c.use.stores.subscriber_lists.remove(edit_by(c), c.path_id(), c.path_id("subscriberId"), c.until);
  if (!done) co_return done.error();
  co_return reply{.status = 204};
}

}  // namespace svc::api
