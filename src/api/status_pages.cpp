#include "api/call_options.hpp"
#include "api/pages.hpp"
#include "api/replies.hpp"
#include "svc/api/handlers.hpp"
#include "svc/api/services.hpp"
#include "svc/store/repositories.hpp"

#include <string>
#include <utility>

namespace svc::api {
namespace {

page_rules rules_of_pages(call const& c) {
  return {.public_host = host_of_public_url(c.use.public_url)};
}

store::status_page_filter page_filter_of(call const& c) {
  store::status_page_filter out{.search = query_text(c, "search")};
  if (auto const status = c.query_value("status")) out.status = pages::page_status_of(*status);
  return out;
}

result<reply> page_answer(call const& c, result<pages::status_page> const& page) {
  if (!page) return page.error();
  return shown_reply(c, *page, status_page_json);
}

}  // namespace

task<result<reply>> list_status_pages(call& c) {
  auto const found =
      co_await c.use.stores.status_pages.list(c.caller.project_id, page_filter_of(c), c.page(), c.until);
  co_return page_reply(c, found, status_page_json);
}

task<result<reply>> create_status_page(call& c) {
  auto wanted = read_page_settings(c.body.as_object(), rules_of_pages(c));
  if (!wanted) co_return wanted.error();
  auto const made =
      co_await c.use.stores.status_pages.create(edit_by(c), c.caller.owner_id, std::move(*wanted), c.until);
  if (!made) co_return made.error();
  co_return created(c, shown_reply(c, *made, status_page_json), "/api/status-pages/" + made->id.to_string());
}

task<result<reply>> get_status_page(call& c) {
  co_return page_answer(c, co_await c.use.stores.status_pages.get(c.caller.project_id, c.path_id(), c.until));
}

task<result<reply>> update_status_page(call& c) {
  auto edit = [&c](pages::status_page const& current) {
    return patch_page_settings(c.contract, current, c.body.as_object(), rules_of_pages(c));
  };
  co_return page_answer(c,
                        co_await c.use.stores.status_pages.update(edit_by(c), c.path_id(), std::move(edit), c.until));
}

task<result<reply>> delete_status_page(call& c) {
  auto const done = co_await c.use.stores.status_pages.remove(edit_by(c), c.path_id(), c.until);
  if (!done) co_return done.error();
  co_return reply{.status = 204};
}

task<result<reply>> set_status_page_logo(call& c) {
  auto wanted = read_logo(c.body.as_object());
  if (!wanted) co_return wanted.error();
  co_return page_answer(
      c, co_await c.use.stores.status_pages.set_logo(edit_by(c), c.path_id(), std::move(*wanted), c.until));
}

task<result<reply>> delete_status_page_logo(call& c) {
  auto const done = co_await c.use.stores.status_pages.remove_logo(edit_by(c), c.path_id(), c.until);
  if (!done) co_return done.error();
  co_return reply{.status = 204};
}

}  // namespace svc::api
