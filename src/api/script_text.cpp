#include "api/script_text.hpp"

#include "api/replies.hpp"
#include "api/resources.hpp"
#include "svc/api/response_account.hpp"

#include <algorithm>
#include <utility>

namespace svc::api {

task<result<shared_text_ptr>> make_script_text(script_source source, deadline until) {
  auto const out = std::make_shared<shared_text>(shared_text{.held = {source.responses, source.reader}});
  if (!out->held.hold(2 * static_cast<std::size_t>(source.size))) co_return no_response_room();
  auto found = co_await source.tests.get_in_pieces(source.project, source.test, until);
  if (!found) {
    if (found.error().code == errc::not_found) co_return shared_text_ptr();
    co_return found.error();
  }
  out->etag = shown_tag(found->test.version, [&](http::json_text& json) { test_json(json, found->test); });
  auto text = co_await test_text(std::move(found->test), std::move(found->script));
  // Escaped, the text may be larger than two scripts.
  if (!out->held.hold(std::max(text.size(), out->held.held()))) co_return no_response_room();
  out->text = source.gzip ? co_await gzip_in_turns(std::move(text)) : std::move(text);
  if (!out->held.hold(out->text.size())) co_return no_response_room();
  co_return shared_text_ptr(out);
}

}  // namespace svc::api
