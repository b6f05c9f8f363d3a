#include "api/runs/output_text.hpp"
#include "svc/api/handlers.hpp"
#include "svc/api/services.hpp"
#include "svc/http/headers.hpp"
#include "svc/output/archive.hpp"
#include "svc/store/run_store.hpp"

#include <boost/asio/post.hpp>

namespace svc::api {
namespace {

/// Of stored text, in one turn of the loop: about a millisecond.
constexpr std::size_t at_once = 256UL * 1024;

}  // namespace

task<result<reply>> get_run_output(call& c) {
  auto const found = co_await c.use.runs.get(c.who.project_id, c.path_id(), c.until);
  if (!found) co_return found.error();
  if (!found->completed_at) co_return errc::run_not_over;
  auto const events = co_await c.use.outputs.all(found->id, c.until);
  if (!events) co_return events.error();
  constexpr std::string_view plain = "text/plain", lines = "application/x-ndjson";
  bool const as_json = http::negotiate(c.request, {plain, lines}) == lines;
  auto const stored = *events;
  auto const shown = std::make_shared<std::string>();
  output_printer printer(*stored, as_json ? output_form::ndjson : output_form::text);
  while (printer.step(*shown, at_once)) co_await asio::post(co_await asio::this_coro::executor, awaiting);
  co_return reply{.document = shown, .content_type = as_json ? lines : std::string_view("text/plain; charset=utf-8")};
}

}  // namespace svc::api
